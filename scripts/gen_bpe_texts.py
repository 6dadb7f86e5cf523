#!/usr/bin/env python3
"""Writes one text of each of ten kinds into a folder: what check-bpe.sh counts.

Generated from a fixed seed; prose, Markdown and code are shuffled from this project's own documents and sources.

usage: scripts/gen_bpe_texts.py FOLDER [MEGABYTES]
"""

import base64
import json
import pathlib
import random
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

HAN = ("的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多"
       "定行学法所民得经十三之进着等部度家电力里如水化高自二理起小物现实加量都两体制机当使点从业本去把性好应开它合还因由其"
       "些然前外天政四日那社义事平形相全表间样与关各重新线内数正心反你明看原又么利比或但质气第向道命此变条只没结解问意建月"
       "公无系军很情者最立代想已通并提直题党程展五果料象员革位入常文总次品式活设及管特件长求老头基资边流路级少图山统接知较"
       "将组见计别她手角期根论运农指几九区强放决西被干做必战先回则任取据处队南给色光门即保治北造百规热领七海口东导器压志世"
       "金增争济阶油思术极交受联什认六共权收证改清己美再采转更单风切打白教速花带安场身车例真务具万每目至达走积示议声报斗完"
       "类八离华名确才科张信马节话米整空元况今集温传土许步群广石记需段研界拉林律叫且究观越织装影算低持音众书布复容儿须际商"
       "非验连断深难近矿千周委素技备半办青省列习响约支般史感劳便团往酸历市克何除消构府称太准精值号率族维划选标写存候毛亲快"
       "效斯院查江型眼王按格养易置派层片始却专状育厂京识适属圆包火住调满县局照参红细引听该铁价严首底液官德随病苏失尔死讲配"
       "女黄推显谈罪神艺呢席含企望密批营项防举球英氧势告李台落木帮轮破亚师围注远字材排供河态封另施减树溶怎止案言士均武固叶"
       "鱼波视仅费紧爱左章早朝害续轻服试食充兵源判护司足某练差致板田降黑犯负击范继兴似余坚曲输修故城夫够送笔船占右财吃富春"
       "职觉汉画功巴跟虽杂飞检吸助升阳互初创抗考投坏策古径换未跑留钢曾端责站简述钱副尽帝射草冲承独令限阿宣环双请超微让控州"
       "良轴找否纪益依优顶础载倒房突坐粉敌略客袁冷胜绝析块剂测丝协诉念陈仍罗盐友洋错苦夜刑移频逐靠混母短皮终聚汽村云哪既距"
       "卫停烈央察烧迅境若印洲刻括激孔搞甚室待核校散侵吧甲游久菜味旧模湖货损预阻毫普稳乙妈植息扩银语挥酒守拿序纸医缺雨吗针")
EMOJI = "😀😂🔥✅❌🚀👍🎉💡🐛📦⚙️🧪👩‍💻🇩🇪🏳️‍🌈👨‍👩‍👧‍👦✨🙏🏽"
OTHER = ["Привет, мир", "naïve café", "Größe", "日本語のテキスト", "한국어 문장입니다", "العربية", "हिन्दी में", "ไทยภาษา", "Ελληνικά",
         "ﬁne\u0301", "İstanbul", "tiếng Việt", "עברית", "＄１２３", "Ⅷ ½ ²"]


def documents():
    return "\n\n".join(p.read_text(encoding="utf-8") for p in sorted(ROOT.glob("docs/**/*.md")))


def sentences():
    text = re.sub(r"```.*?```|[|`*#<>\[\]()_-]", " ", documents(), flags=re.S)
    return [s for s in re.split(r"(?<=[.!?])\s+", re.sub(r"\s+", " ", text)) if 20 < len(s) < 400]


def prose(r):
    known = sentences()
    words = sorted({w for s in known for w in re.findall(r"[A-Za-z']+", s)})
    while True:
        sentence = r.choice(known)
        if r.random() < 0.5:  # other words in the same place: more kinds of pieces
            sentence = re.sub(r"[A-Za-z]{4,}", lambda m: r.choice(words) if r.random() < 0.3 else m[0], sentence)
        yield sentence + ("\n\n" if r.random() < 0.15 else " ")


def markdown(r):
    parts = re.split(r"\n(?=#|\n)", documents())
    while True:
        yield r.choice(parts) + "\n"


def code(r):
    lines = [f.read_text(encoding="utf-8") for f in sorted(ROOT.glob("src/**/*.?pp")) + sorted(ROOT.glob("scripts/*.py"))]
    parts = [p for text in lines for p in re.split(r"\n\n", text)]
    while True:
        yield r.choice(parts) + "\n\n"


def word(r, low=2, high=12):
    return "".join(r.choice("bcdfghklmnprstvw") + r.choice("aeiou") for _ in range(r.randint(low, high) // 2 + 1))


def json_text(r):
    while True:
        record = {"id": "%032x" % r.getrandbits(128), word(r): [r.random() for _ in range(r.randint(0, 5))],
                  "version": f"{r.randint(0, 20)}.{r.randint(0, 99)}.{r.randint(0, 9)}", "nested": {word(r): r.randint(-9, 10**9)},
                  "text": f"{word(r)} \"{word(r)}\"\n\t{r.choice(OTHER)}", "ok": r.random() < 0.5, "none": None}
        yield json.dumps(record, indent=r.choice([None, 2]), ensure_ascii=r.random() < 0.5) + "\n"


def listings(r):
    while True:
        yield f"\n./{word(r)}/{word(r)}:\ntotal {r.randint(4, 9999)}\n"
        for _ in range(r.randint(3, 40)):
            yield (f"{r.choice(['-rw-r--r--', 'drwxr-xr-x', '-rwxr-xr-x'])} {r.randint(1, 9)} root root {r.randint(0, 10**7):>8} "
                   f"{r.choice(['Jan', 'May', 'Nov'])} {r.randint(1, 28):>2} {r.randint(0, 23):02}:{r.randint(0, 59):02} "
                   f"{word(r)}{r.choice(['.cpp', '.o', '-' + word(r), '_test.py', ''])}\n")


def numbers(r):
    while True:
        yield r.choice([f"{r.random() * 1000:.6f}", str(r.getrandbits(r.randint(1, 60))), f"{r.randint(-99, 99)}"]) + r.choice([" ", ",", "\n", "\t"])


def hexadecimal(r):
    while True:
        yield " ".join("%08x" % r.getrandbits(32) for _ in range(8)) + "\n" if r.random() < 0.5 else "%064x\n" % r.getrandbits(256)


def base64_text(r):
    while True:
        data = base64.b64encode(r.randbytes(r.choice([57, 57, 57, 3000])))
        yield data.decode() + "\n"


def chinese(r):
    weights = [1.0 / (i + 5) for i in range(len(HAN))]
    while True:
        yield "".join(r.choices(HAN, weights, k=r.randint(4, 30))) + r.choice("，，。。；：！？、") + ("\n" if r.random() < 0.1 else "")


def mixed(r):
    english = sentences()
    han = chinese(r)
    while True:
        yield r.choice([lambda: r.choice(english), lambda: next(han), lambda: r.choice(EMOJI) * r.randint(1, 3), lambda: r.choice(OTHER),
                        lambda: f"HTTPServer's {word(r).upper()}{word(r)}", lambda: "  \t\n \r\n   ", lambda: "//" * r.randint(1, 9) + "\n",
                        lambda: "`" * 3, lambda: "\u00a0\u3000", lambda: r.choice("…—«»\u200b\u0301€"), lambda: word(r) * 9,
                        lambda: "<|endoftext|>"])() + r.choice(["", " "])


KINDS = {"prose": prose, "markdown": markdown, "code": code, "json": json_text, "listings": listings, "numbers": numbers,
         "hex": hexadecimal, "base64": base64_text, "chinese": chinese, "mixed": mixed}


def main():
    folder = pathlib.Path(sys.argv[1])
    size = int(float(sys.argv[2]) * 1e6) if len(sys.argv) > 2 else 1_000_000
    folder.mkdir(parents=True, exist_ok=True)
    for kind, generate in KINDS.items():
        parts, length = [], 0
        for part in generate(random.Random(kind)):
            parts.append(part)
            length += len(part.encode())
            if length >= size:
                break
        (folder / f"{kind}.txt").write_text("".join(parts), encoding="utf-8", newline="")


if __name__ == "__main__":
    main()
