import { darkPalette, lightPalette, type Palette, withAccent } from "./colours.ts";

const properties = (palette: Palette): string =>
  Object.entries(palette)
    .map(([name, colour]) => `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}:${colour}`)
    .join(";");

/**
 * Sizes are in rem and sides are logical (start, end), so that larger text and right-to-left need no further rules.
 * Chinese and Japanese share code points that they write differently, so each has its own fonts, whatever the system's
 * language. Japanese lines break between phrases.
 */
const rules = `
*,*::before,*::after{box-sizing:border-box}
html{color-scheme:light dark;-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;min-height:100vh;min-height:100dvh;display:flex;flex-direction:column;background:var(--card);color:var(--text);
font:400 1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Noto Sans Arabic","Helvetica Neue",Arial,sans-serif;
overflow-wrap:anywhere}
html[lang|=zh] body,a[lang|=zh]{font-family:-apple-system,"PingFang SC","Microsoft YaHei UI","Noto Sans CJK SC","Noto Sans SC",sans-serif}
html[lang|=ja] body,a[lang|=ja]{font-family:-apple-system,"Hiragino Sans","Yu Gothic UI",Meiryo,"Noto Sans CJK JP","Noto Sans JP",sans-serif}
html:is([lang|=zh],[lang|=ja]) body{line-break:strict}
html[lang|=ja] body{word-break:auto-phrase}
header,main,footer{width:100%;max-width:27rem;margin-inline:auto;padding-inline:1.5rem}
header{padding-block:2rem 0}
.brand{display:inline-flex;align-items:center;gap:.625rem;font-weight:650;font-size:1.0625rem;letter-spacing:-.01em;color:var(--text)}
.brand img{display:block;height:2rem;width:auto;max-width:11rem}
.brand .mark{flex:none;display:grid;place-items:center;width:2rem;height:2rem;border-radius:.5625rem;background:var(--accent);color:var(--on-accent);font-size:1rem;font-weight:700}
main{padding-block:1.75rem 2rem}
h1{margin:0;font-size:1.625rem;line-height:1.22;font-weight:680;letter-spacing:-.018em;text-wrap:balance}
html:is([lang|=zh],[lang|=ja]) h1{line-height:1.35;letter-spacing:0}
h2{margin:1.75rem 0 .5rem;font-size:1rem;line-height:1.4;font-weight:650}
p{margin:.5rem 0 0}
p,.note,.things span{text-wrap:pretty}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.lead{margin-top:.5rem;color:var(--muted)}
.lead strong{color:var(--text);font-weight:600}
a{color:var(--link);text-decoration-thickness:.0625em;text-underline-offset:.2em}
a:hover{text-decoration-thickness:.125em}
form{margin:1.5rem 0 0}
.field{margin-top:1.125rem}
.field:first-of-type{margin-top:0}
label{display:block;margin-bottom:.375rem;font-weight:600;font-size:.9375rem}
.linked{display:grid;grid-template-columns:1fr auto;align-items:baseline;column-gap:1rem}
.linked label{overflow-wrap:break-word}
.revealed{grid-row:2;grid-column:1/-1;position:relative}
.revealed:has(.reveal:not([hidden])) input{padding-inline-end:3.25rem}
.reveal{position:absolute;inset-block:.25rem;inset-inline-end:.25rem;width:2.5rem;min-height:0;margin:0;padding:0;background:transparent;color:var(--muted)}
.reveal:hover{color:var(--text);filter:none}
.reveal svg{width:1.375rem;height:1.375rem}
.reveal[aria-pressed=false] .shut{display:none}
.linked a{margin-bottom:.375rem;text-align:end;grid-row:1;grid-column:2;font-size:.9375rem}
input:is([type=text],[type=password]){display:block;width:100%;min-height:3rem;padding:.625rem .875rem;font:inherit;color:inherit;background:var(--card);
border:1px solid var(--control);border-radius:.625rem;transition:border-color .12s,box-shadow .12s}
input:is([type=text],[type=password]):hover{border-color:var(--muted)}
input[aria-invalid=true]{border-color:var(--error)}
input.code{font-size:1.5rem;line-height:1.3;min-height:3.5rem;letter-spacing:.18em;text-align:center;font-variant-numeric:tabular-nums;direction:ltr}
input.code.long{letter-spacing:.1em;text-transform:uppercase}
.hint{margin-top:.375rem;color:var(--muted);font-size:.9375rem}
.check{display:flex;gap:.75rem;align-items:flex-start;margin-top:1.125rem;font-weight:400;font-size:1rem;cursor:pointer;padding-block:.25rem}
.check input{flex:none;width:1.25rem;height:1.25rem;margin:.1875rem 0 0;accent-color:var(--accent)}
.check small{display:block;color:var(--muted);font-size:.9375rem}
button,.button{display:flex;align-items:center;justify-content:center;width:100%;min-height:3rem;margin-top:1.5rem;padding:.625rem 1.25rem;border:1px solid transparent;border-radius:.625rem;
font:inherit;font-weight:650;text-align:center;text-decoration:none;cursor:pointer;background:var(--accent);color:var(--on-accent);transition:filter .12s}
button:hover,.button:hover{filter:brightness(1.08)}
button:active,.button:active{filter:brightness(.94)}
button.quiet,.button.quiet{margin-top:.75rem;background:transparent;color:var(--text);border-color:var(--control)}
button.quiet:hover,.button.quiet:hover{background:var(--soft);filter:none}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.more{margin-top:1.5rem;padding-top:1.25rem;border-top:1px solid var(--line);display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;justify-content:space-between}
.more a,footer a,summary{display:inline-block;padding-block:.1875rem}
.alert{margin-top:1.25rem;padding:.75rem 1rem;border-radius:.625rem;border-inline-start:.25rem solid var(--error);background:var(--error-soft);color:var(--text)}
.alert strong{color:var(--error)}
.note{margin-top:1.25rem;padding:.75rem 1rem;border-radius:.75rem;background:var(--soft)}
.note+.lead{margin-top:1.25rem}
.done{display:flex;gap:.75rem;align-items:flex-start;margin-bottom:1.5rem;padding:.75rem 1rem;border-radius:.75rem;background:var(--soft)}
.done svg{flex:none;width:1.25rem;height:1.25rem;margin-top:.1875rem;color:var(--good)}
.done p{margin:0}
.sign{display:grid;place-items:center;width:3rem;height:3rem;margin-bottom:1.125rem;border-radius:50%;background:var(--soft);color:var(--link)}
.sign.good{color:var(--good)}
.sign.bad{background:var(--error-soft);color:var(--error)}
.sign svg{width:1.5rem;height:1.5rem}
.choices,.scopes{list-style:none;margin:1.5rem 0 0;padding:0;display:grid;gap:.75rem}
.choices a{display:flex;align-items:center;gap:1rem;min-height:4rem;padding:.75rem 1rem;border:1px solid var(--control);border-radius:.75rem;color:var(--text);text-decoration:none}
.choices a:hover{border-color:var(--link);background:var(--soft)}
.choices svg{flex:none;width:1.5rem;height:1.5rem;color:var(--link)}
.choices b{display:block;font-weight:650}
.choices span>span{color:var(--muted);font-size:.9375rem}
.scopes{gap:0;border:1px solid var(--line);border-radius:.75rem}
.scopes li{padding:.75rem 1rem}
.scopes li+li{border-top:1px solid var(--line)}
.scopes .check{margin:0;padding:0}
.scopes .given{display:flex;gap:.75rem}
.scopes svg{flex:none;width:1.25rem;height:1.25rem;margin-top:.1875rem;color:var(--good)}
.account{display:flex;align-items:center;gap:.75rem;margin-top:1.25rem;padding:.625rem .875rem;border:1px solid var(--line);border-radius:.75rem}
.account .who{flex:none;display:grid;place-items:center;width:2.25rem;height:2.25rem;border-radius:50%;background:var(--soft);color:var(--link);font-weight:650}
.usercode{margin-top:.5rem;padding:.875rem;border-radius:.75rem;background:var(--soft);font-size:1.625rem;font-weight:650;letter-spacing:.14em;text-align:center;direction:ltr;font-variant-numeric:tabular-nums}
.note:has(+.usercode){border-end-start-radius:0;border-end-end-radius:0}
.note+.usercode{margin-top:0;padding-top:.25rem;border-start-start-radius:0;border-start-end-radius:0}
main summary{color:var(--link);text-decoration:underline;text-underline-offset:.2em}
[hidden]{display:none!important}
.near{margin-top:.5rem}
form.inline{margin:0}
.button.danger,button.danger{margin-top:.75rem;background:transparent;color:var(--error);border-color:var(--error)}
.button.danger:hover,button.danger:hover{background:var(--error-soft);filter:none}
.things{list-style:none;margin:1.5rem 0 0;padding:0;display:grid;gap:.75rem}
.things+p{margin-top:1.25rem}
.things li{padding:.875rem 1rem;border:1px solid var(--line);border-radius:.75rem}
.things b,.things span:not(.hidden){display:block}
.things li>span{color:var(--muted);font-size:.9375rem}
.things li>span.this{color:var(--good);font-weight:600}
.things :is(button,.button){min-height:2.75rem}
.things :is(button,.button).danger{width:fit-content}
main>form.inline>button.danger,main>.button.danger,:is(.choices,p)+.button.quiet{margin-top:1.5rem}
.things details{margin-top:.5rem}
.things details form{margin-top:.5rem}
.qr{display:block;width:12.5rem;max-width:100%;height:auto;margin:1.25rem auto;border-radius:.625rem}
.qr.dense{width:18rem}
summary .hidden{position:absolute}
code{font-family:ui-monospace,"Cascadia Mono","Noto Sans Mono",Menlo,monospace;direction:ltr;unicode-bidi:isolate}
.secret{font-size:1.0625rem;letter-spacing:.04em}
.codes{list-style:none;margin:1.25rem 0 0;padding:1rem;display:grid;grid-template-columns:repeat(auto-fill,minmax(8.5rem,1fr));gap:.5rem 1rem;border-radius:.75rem;background:var(--soft);font-size:1.125rem;font-weight:600;letter-spacing:.04em}
.codes-of{margin:1.25rem 0 0;font-weight:600}
.codes-of span{display:block;font-weight:400;color:var(--muted)}
.codes-of+.codes{margin-top:.75rem}
.tools{display:flex;flex-wrap:wrap;gap:.75rem;margin-top:.75rem}
.tools button{flex:1 1 7rem;width:auto;margin:0;overflow-wrap:anywhere}
.client{display:flex;align-items:center;gap:.75rem;margin-bottom:1.125rem;font-weight:600}
.client img{display:block;max-width:8rem;max-height:3rem;border-radius:.5rem}
.facts{margin:1.25rem 0 0}
.facts dt{color:var(--muted);font-size:.9375rem}
.facts dd{margin:.375rem 0 1rem;padding:.75rem 1rem;border-radius:.75rem;background:var(--soft);font-size:1.0625rem;font-weight:600}
.facts dd span{display:block;margin-top:.125rem;color:var(--muted);font-size:.9375rem;font-weight:400}
.facts code{user-select:all}
.facts .whole{padding-inline:.5rem;container-type:inline-size;text-align:center}
.facts .whole code{display:block;overflow-x:auto;white-space:nowrap;font-size:min(1.0625rem,4.2cqi)}
.facts+.tools{margin-top:0}
.steps{margin:1.25rem 0 0;padding-inline-start:1.375rem;display:grid;gap:.625rem}
.steps+form,form+.manual{margin-top:1.5rem}
.tools+.manual{margin-top:1.25rem}
.wide{margin:1.25rem 0 1.5rem}
.or{margin-top:1.5rem;text-align:center;color:var(--muted)}
.reference{margin-top:1.5rem;color:var(--muted);font-size:.875rem}
.alert+.reference{margin-top:.5rem}
.reference code{font-size:.875rem;direction:ltr;unicode-bidi:isolate;user-select:all}
html:is([lang|=zh],[lang|=ja]) .reference code{display:inline-block}
footer{margin-top:auto;padding-block:1rem 1.5rem;display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;font-size:.875rem;color:var(--muted)}
footer a,summary{color:var(--muted)}
footer a:hover,summary:hover{color:var(--text)}
footer details{position:relative}
footer details[open]{flex-basis:100%}
summary{cursor:pointer;list-style:none;display:inline-flex;align-items:center;gap:.375rem}
summary::-webkit-details-marker{display:none}
summary svg{width:1rem;height:1rem}
footer ul{list-style:none;margin:.5rem 0 0;padding:0;display:grid;grid-template-columns:repeat(auto-fill,minmax(7rem,1fr));gap:.125rem .75rem}
footer ul a{padding-block:.375rem}
footer a[aria-current]{color:var(--text);font-weight:650;text-decoration:none}
@media (min-width:40rem){
body{background:var(--page)}
header{padding-top:min(11vh,6rem);padding-inline:2.5rem}
main{margin-top:1.25rem;padding:2.25rem 2.5rem 2.5rem;background:var(--card);border:1px solid var(--line);border-radius:1.125rem;box-shadow:0 1px 2px rgb(16 24 40/.04),0 12px 32px -12px rgb(16 24 40/.14)}
header,main,footer{max-width:30rem}
footer{margin-top:0;padding-inline:2.5rem;padding-bottom:2rem}
}
@media (prefers-reduced-motion:reduce){*{transition:none!important}}
@media (forced-colors:active){button,.button,.choices a,.alert{border:1px solid ButtonText}}
@media print{footer,form,.more,.tools,header{display:none}}
`;

export interface AccentColours {
  readonly light: string;
  readonly dark: string;
}

/** The only stylesheet: light and dark, phone first, both text directions. */
export function stylesheetOf({ light, dark }: AccentColours): string {
  const lightColours = properties(withAccent(lightPalette, light));
  const darkColours = properties(withAccent(darkPalette, dark));
  return `:root{${lightColours}}@media (prefers-color-scheme:dark){:root{${darkColours}}}${rules.replaceAll("\n", "")}`;
}
