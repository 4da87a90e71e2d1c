// The style sheet of the report: light and dark by the reader's preference, from phones to wide screens (room
// view/report). report.cpp of this room alone includes it.
#pragma once

namespace fovea {

inline constexpr const char* report_style = R"css(
:root{color-scheme:light dark;--page:#fff;--text:#1c2128;--soft:#57606a;--line:#d8dee4;--tint:#f6f8fa;--link:#0550ae;
--good:#116329;--good-back:#dafbe1;--bad:#a40e26;--bad-back:#ffebe9;
--fig-ink:#1c2128;--fig-muted:#57606a;--fig-grid:#dfe3e8;--fig-paper:#fff}
@media (prefers-color-scheme:dark){:root{--page:#14181d;--text:#e6edf3;--soft:#a3adb8;--line:#343b44;--tint:#1b2027;
--link:#79b8ff;
--good:#7ee787;--good-back:#12301c;--bad:#ffa198;--bad-back:#401a1a;
--fig-ink:#e6edf3;--fig-muted:#a3adb8;--fig-grid:#2d343d;--fig-paper:#14181d}}
/* The categories' colours, lighter on a dark page, and thin lines a little stronger. */
@media (prefers-color-scheme:dark){[stroke="#0072b2"]{stroke:#4ba3e3}[fill="#0072b2"]{fill:#4ba3e3}
[stroke="#d55e00"]{stroke:#f08a3c}[fill="#d55e00"]{fill:#f08a3c}
[stroke="#009e73"]{stroke:#2cc295}[fill="#009e73"]{fill:#2cc295}
polyline[stroke-opacity="0.38"]{stroke-opacity:.55}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:17px/1.55 system-ui,-apple-system,"Segoe UI",Helvetica,
Arial,sans-serif;overflow-wrap:break-word}
header,main,footer{max-width:780px;margin:0 auto;padding:0 16px}
header{padding-top:40px}
h1{font-size:2rem;line-height:1.2;margin:0 0 .6rem}
h2{font-size:1.5rem;line-height:1.25;margin:3.2rem 0 .4rem;padding-top:1.2rem;border-top:2px solid var(--line)}
h3{font-size:1.18rem;line-height:1.3;margin:2.4rem 0 .3rem}
h4{font-size:1rem;margin:1.4rem 0 .3rem}
p{margin:.5rem 0}
a{color:var(--link)}
a:focus-visible,summary:focus-visible,.scroll:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.skip{position:absolute;left:-999px}.skip:focus{left:16px;top:8px;background:var(--page);padding:4px 8px}
.soft{color:var(--soft);font-size:.9rem}
.name{font-family:ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.86em;color:var(--soft);
font-weight:normal}
code,pre{font-family:ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.86em}
pre{background:var(--tint);border:1px solid var(--line);border-radius:6px;padding:.6rem .8rem;overflow-x:auto;
white-space:pre-wrap}
figure{margin:1.2rem 0}
figcaption{font-weight:600;margin-bottom:.2rem}
figure svg{display:block;width:100%;height:auto}
.narrow{display:none}
@media (max-width:719px){.wide{display:none}.narrow{display:block}.narrow svg{max-width:440px}}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.92rem;line-height:1.4}
caption{text-align:left;font-weight:600;padding:.3rem 0}
th,td{text-align:left;vertical-align:top;padding:.4rem .7rem .4rem 0;border-bottom:1px solid var(--line)}
th{font-weight:600;color:var(--soft);font-size:.84rem}
td.number,th.number{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
td.word{white-space:nowrap}
.held,.broken{display:inline-block;border-radius:5px;padding:0 .45em;font-size:.85rem;font-weight:600;
white-space:nowrap}
.held{color:var(--good);background:var(--good-back)}
.broken{color:var(--bad);background:var(--bad-back)}
details{margin:.8rem 0;font-size:.92rem}
summary{cursor:pointer;color:var(--link)}
dl{display:grid;grid-template-columns:minmax(6rem,auto) 1fr;gap:.15rem 1rem;margin:.5rem 0}
dt{color:var(--soft)}dd{margin:0;min-width:0;overflow-wrap:anywhere}
.problem{border-left:4px solid var(--bad);background:var(--tint);padding:.5rem .8rem}
.toll{font-size:1.1rem}
footer{margin-top:4rem;padding-bottom:3rem;border-top:2px solid var(--line);padding-top:1rem}
@media (max-width:480px){body{font-size:16px}h1{font-size:1.6rem}h2{font-size:1.3rem}dl{grid-template-columns:1fr}
dd{margin-bottom:.3rem}
th,td{padding-right:.5rem}.claims,.claims tbody,.claims tr,.claims td{display:block}.claims thead{display:none}
.claims tr{border-bottom:1px solid var(--line);padding:.5rem 0}.claims td{border:0;padding:.1rem 0;text-align:left;
white-space:normal}
.claims td[data-head]::before{content:attr(data-head) ": ";color:var(--soft)}}
@media print{.narrow{display:none}.wide{display:block}details{display:none}h3,figure{break-inside:avoid}}
)css";

}  // namespace fovea
