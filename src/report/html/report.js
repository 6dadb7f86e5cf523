// What a page can do beyond being read: charts that can be looked into, and evidence that opens all at once. Nothing
// depends on it. All that is shown goes through textContent.
(function () {
    "use strict";

    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
    const live = [];

    function figure(value) {
        return whole.format(Math.round(value));
    }

    // Labels of one axis have one unit: 5 k, 10 k, 15 k.
    function axisFigure(value, most) {
        if (value === 0 || most < 10000) return figure(value);
        return most < 1e7 ? value / 1e3 + " k" : value / 1e6 + " M";
    }

    function element(tag, words) {
        const made = document.createElement(tag);
        if (words) made.textContent = words;
        return made;
    }

    function colours() {
        const style = getComputedStyle(document.documentElement);
        const all = {};
        for (const name of ["curve", "window", "compaction", "reset", "error", "warning", "info", "rule"]) {
            all[name] = style.getPropertyValue("--" + name).trim();
        }
        all.limit = all.error;
        return all;
    }

    // ---- charts ---------------------------------------------------------------------------------------------

    function paintSpans(canvas, area, graph, data, colour) {
        for (const span of data.spans) {
            const left = graph.toDomXCoord(span.from);
            const wide = Math.max(graph.toDomXCoord(span.to) - left, 3);
            canvas.globalAlpha = 0.2;
            canvas.fillStyle = colour[span.level];
            canvas.fillRect(left, area.y, wide, area.h);
        }
        canvas.globalAlpha = 1;
    }

    function paintLine(canvas, dash, width, colour, fromX, fromY, toX, toY) {
        canvas.setLineDash(dash);
        canvas.lineWidth = width;
        canvas.strokeStyle = colour;
        canvas.beginPath();
        canvas.moveTo(fromX, fromY);
        canvas.lineTo(toX, toY);
        canvas.stroke();
    }

    function paintBelow(canvas, area, graph, data) {
        const colour = colours();
        canvas.save();
        canvas.beginPath();
        canvas.rect(area.x, area.y, area.w, area.h);
        canvas.clip();
        paintSpans(canvas, area, graph, data, colour);
        if (data.window > 0) {
            const y = graph.toDomYCoord(data.window);
            paintLine(canvas, [8, 4], 1.6, colour.window, area.x, y, area.x + area.w, y);
        }
        for (const tokens of data.levels) {
            const y = graph.toDomYCoord(tokens);
            paintLine(canvas, [3, 3], 1.8, colour.error, area.x, y, area.x + area.w, y);
        }
        for (const mark of data.marks) {
            const x = graph.toDomXCoord(mark.line);
            const whole = mark.kind === "reset" || mark.kind === "limit";
            const high = whole || data.marks.length <= 60 ? area.h : area.h / 16;
            paintLine(canvas, whole ? [] : [2, 3], whole ? 2 : 1.5, colour[mark.kind], x, area.y, x, area.y + high);
        }
        canvas.restore();
    }

    // The last score up to a line; nothing before the first one.
    function driftAt(data, line) {
        let score = null;
        for (const point of data.drift) {
            if (point[0] > line) break;
            score = point[1];
        }
        return score;
    }

    // What lies at a line, besides the curve.
    function describe(data, line, tokens) {
        const words = [data.of + " " + figure(line) + ": " + figure(tokens) + " tokens"];
        const drift = driftAt(data, line);
        if (drift !== null) words.push("drift " + drift.toFixed(2));
        for (const work of data.work) {
            if (work[0] <= line && line <= work[1]) {
                words.push(work[2]);
                break;
            }
        }
        const rules = new Set();
        for (const span of data.spans) {
            if (span.from <= line && line <= span.to) rules.add(span.rule);
        }
        if (rules.size > 0) words.push("in " + Array.from(rules).slice(0, 3).join(", "));
        return words.join("; ");
    }

    // Lanes stay the drawings they were: they are laid below the curve and show the same lines.
    function moveLanes(chart, graph, data) {
        const area = graph.getArea();
        const columns = 960, all = Math.max(data.to - data.from, 1), range = graph.xAxisRange();
        const from = (range[0] - data.from) * columns / all;
        const wide = (range[1] - range[0]) * columns / all;
        for (const lane of chart.querySelectorAll(".lane")) {
            lane.style.gridTemplateColumns = area.x + "px " + area.w + "px";
            const svg = lane.querySelector("svg");
            svg.setAttribute("viewBox", from + " 0 " + wide + " " + svg.viewBox.baseVal.height);
        }
    }

    function view(graph, data, from, to) {
        const least = Math.max((data.to - data.from) / 1000, 2);
        if (to - from < least) {
            const middle = (from + to) / 2;
            from = middle - least / 2;
            to = middle + least / 2;
        }
        const wide = Math.min(to - from, data.to - data.from);
        from = Math.min(Math.max(from, data.from), data.to - wide);
        graph.updateOptions({ dateWindow: [from, from + wide] });
    }

    function move(graph, data, by, scale) {
        const range = graph.xAxisRange();
        const wide = (range[1] - range[0]) * scale;
        const middle = (range[0] + range[1]) / 2 + (range[1] - range[0]) * by;
        view(graph, data, middle - wide / 2, middle + wide / 2);
    }

    function addTools(box, graph, data) {
        const tools = element("div");
        tools.className = "tools";
        tools.setAttribute("role", "group");
        tools.setAttribute("aria-label", "What the chart shows");
        const actions = [
            ["\u2212", "Show more of the recording", function () { move(graph, data, 0, 2); }],
            ["+", "Show less of the recording", function () { move(graph, data, 0, 0.5); }],
            ["\u2190", "Earlier", function () { move(graph, data, -0.4, 1); }],
            ["\u2192", "Later", function () { move(graph, data, 0.4, 1); }],
            ["All", "All of the recording", function () { view(graph, data, data.from, data.to); }],
        ];
        for (const [words, label, act] of actions) {
            const button = element("button", words);
            button.type = "button";
            button.title = label;
            button.setAttribute("aria-label", label);
            button.addEventListener("click", act);
            tools.append(button);
        }
        const output = element("output", "Drag over the chart to look closer.");
        tools.append(output);
        (Array.from(box.parentNode.querySelectorAll(".lane")).pop() || box).after(tools);
        return output;
    }

    function start(chart, data) {
        const box = element("div");
        box.className = "live";
        box.setAttribute("role", "img");
        box.setAttribute("aria-label", chart.querySelector("svg").getAttribute("aria-label"));
        chart.querySelector(".still").after(box);
        chart.dataset.live = "";
        const colour = colours();
        let output = null;
        const graph = new Dygraph(box, data.curve, {
            labels: [data.of, "tokens"],
            legend: "never",
            colors: [colour.curve],
            axisLineColor: colour.rule,
            gridLineColor: colour.rule,
            fillGraph: true,
            fillAlpha: 0.14,
            strokeWidth: data.curve.length > 800 ? 1 : 1.8,
            highlightCircleSize: 4,
            showRangeSelector: false,
            xRangePad: 0,
            dateWindow: [data.from, data.to],
            valueRange: [0, data.top],
            axes: {
                x: { axisLabelFormatter: figure, axisLabelWidth: 80, pixelsPerLabel: 60 },
                y: { axisLabelFormatter: function (value) { return axisFigure(value, data.top); }, axisLabelWidth: 58, pixelsPerLabel: 50 },
            },
            drawCallback: function (graph) { moveLanes(chart, graph, data); },
            underlayCallback: function (canvas, area, graph) { paintBelow(canvas, area, graph, data); },
            highlightCallback: function (event, x, points) {
                if (output && points.length > 0) output.textContent = describe(data, points[0].xval, points[0].yval);
            },
            unhighlightCallback: function () { if (output) output.textContent = ""; },
        });
        // What lies above the picture cannot be seen, so only the lines are zoomed.
        graph.updateOptions({ zoomCallback: function () { graph.updateOptions({ valueRange: [0, data.top] }); } }, true);
        output = addTools(box, graph, data);
        live.push(graph);
    }

    function recolour() {
        const colour = colours();
        for (const graph of live) {
            graph.updateOptions({ colors: [colour.curve], axisLineColor: colour.rule, gridLineColor: colour.rule });
        }
    }

    function startCharts() {
        const text = document.getElementById("charts");
        if (!text || typeof Dygraph === "undefined") return;
        const all = JSON.parse(text.textContent);
        const seen = new IntersectionObserver(function (entries) {
            for (const entry of entries) {
                if (!entry.isIntersecting) continue;
                seen.unobserve(entry.target);
                start(entry.target, all[Number(entry.target.dataset.chart)]);
            }
        }, { rootMargin: "200px" });
        for (const chart of document.querySelectorAll("figure[data-chart]")) {
            const data = all[Number(chart.dataset.chart)];
            if (data && data.curve.length > 1) seen.observe(chart);
        }
        dark.addEventListener("change", recolour);
    }

    // ---- what is folded ---------------------------------------------------------------------------------------

    // A link to something folded opens it.
    function unfoldTarget() {
        const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
        if (target && target.tagName === "DETAILS") target.open = true;
    }

    // Paper has no folds.
    function unfoldAll() {
        for (const folded of document.querySelectorAll("details")) folded.open = true;
    }

    window.addEventListener("hashchange", unfoldTarget);
    window.addEventListener("beforeprint", unfoldAll);
    unfoldTarget();
    startCharts();
})();
