/** The frame of the pages, and the parts that all of them are made of. Sides are logical, so that right-to-left needs no further rules. */
const rules = `
.console{--good-soft:color-mix(in srgb,var(--good) 11%,var(--card));--warn:light-dark(#8a5300,#f0b35c);--warn-soft:color-mix(in srgb,var(--warn) 12%,var(--card));display:block;background:var(--card)}
.skip{position:absolute;inset-block-start:-6rem;inset-inline-start:.5rem;z-index:3;padding:.5rem 1rem;border-radius:.5rem;background:var(--accent);color:var(--on-accent)}
.skip:focus{inset-block-start:.5rem}
.console header,.console main,.console footer{width:auto;max-width:80rem;margin:0 auto;padding:1rem 1.25rem;background:none;border:0;border-radius:0;box-shadow:none}
.console header{display:flex;align-items:center;gap:.75rem;border-bottom:1px solid var(--line)}
.console footer{display:flex;flex-wrap:wrap;align-items:baseline;gap:.25rem 1rem;margin-top:1rem;border-top:1px solid var(--line)}
.console .menu-button{width:auto;min-height:2.5rem;margin:0;margin-inline-start:auto;padding:.25rem .875rem;gap:.5rem;white-space:nowrap}
.console .menu-button svg{width:1.25rem;height:1.25rem}
#menu{color:inherit;background:var(--card)}
#menu:popover-open{position:fixed;inset:0 0 0 auto;margin:0;width:min(20rem,88vw);height:100dvh;max-height:none;padding:1rem 1.25rem;border:0;border-inline-start:1px solid var(--line);display:flex;flex-direction:column;gap:.75rem;overflow:auto}
[dir=rtl] #menu:popover-open{inset:0 auto 0 0}
#menu::backdrop{background:rgb(0 0 0/.45)}
#menu nav{display:grid;gap:.125rem}
#menu nav a{display:flex;align-items:center;gap:.75rem;min-height:2.75rem;padding:.375rem .75rem;border-radius:.5rem;color:var(--text);text-decoration:none}
#menu nav a:hover{background:var(--soft)}
#menu nav a[aria-current]{background:var(--soft);font-weight:650}
#menu nav svg{flex:none;width:1.25rem;height:1.25rem;color:var(--muted)}
#menu nav a[aria-current] svg{color:var(--link)}
.who-am-i{margin-block-start:auto;padding-block-start:.75rem;border-block-start:1px solid var(--line);font-size:.9375rem;color:var(--muted)}
.who-am-i form{margin:.5rem 0 0}
.who-am-i button{min-height:2.5rem;margin:0;padding:.25rem .875rem}
.find{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:.25rem .5rem;align-items:end;max-width:80rem;margin:0 auto;padding:.75rem 1.25rem 0}
.find label{grid-column:1/-1;margin:0;font-weight:400;font-size:.875rem;color:var(--muted)}
.find button{width:auto;margin:0}
.find :is(input[type=text],button){min-height:2.75rem;padding-block:.375rem}
.console h1{display:flex;flex-wrap:wrap;align-items:center;gap:.375rem .75rem}
.console main>.button{width:fit-content}
.console h2{font-size:1.1875rem}
.console h3{margin:1rem 0 .25rem;font-size:1.0625rem}
.eyebrow{margin:0;color:var(--muted);font-size:.875rem}
.badge{display:inline-flex;align-items:center;gap:.25rem;padding:.0625rem .5rem .0625rem .375rem;border:1px solid;border-radius:1rem;color:var(--muted);background:var(--card);font-size:.8125rem;font-weight:650;line-height:1.5;letter-spacing:0;vertical-align:middle;overflow-wrap:break-word}
.badge svg{flex:none;width:.9375rem;height:.9375rem;stroke-width:2.25}
.badge.good{color:var(--good);background:var(--good-soft)}
.badge.warn{color:var(--warn);background:var(--warn-soft)}
.badge.bad{color:var(--error);background:var(--error-soft)}
.card{margin-top:.75rem;border:1px solid var(--line);border-radius:.75rem;background:var(--card)}
.card>summary{display:flex;align-items:center;gap:.625rem;padding:.625rem 1rem;color:var(--text);text-decoration:none;border-radius:.75rem}
.card>summary:hover{background:var(--soft)}
.card>summary::after{content:"";width:.5rem;height:.5rem;margin-inline-start:auto;border:solid var(--muted);border-width:0 .125rem .125rem 0;rotate:45deg;translate:0 -.125rem}
.card[open]>summary::after{rotate:225deg;translate:0 .125rem}
.card summary h2{margin:0;font-size:1rem}
.count{min-width:1.5rem;padding:0 .4375rem;border-radius:1rem;background:var(--soft);color:var(--text);font-size:.8125rem;font-weight:650;text-align:center}
.card>.inside{padding:0 1rem 1rem}
.card>.inside>:first-child{margin-top:0}
.card .things{margin-top:0;gap:0}
.card .things>li{padding:.75rem 0;border:0;border-block-start:1px solid var(--line);border-radius:0}
.card .things .acts{margin-top:.25rem;font-size:.9375rem}
.rows{width:100%;margin-top:1rem;border-collapse:collapse;font-size:.9375rem}
.rows :is(th,td){padding:.5rem .75rem .5rem 0;text-align:start;vertical-align:top}
.rows thead th{position:sticky;inset-block-start:0;z-index:1;background:var(--card);color:var(--muted);font-weight:600;box-shadow:inset 0 -1px var(--control)}
.rows tbody td{border-bottom:1px solid var(--line)}
.rows tr:has(+.acts-row) td{border-bottom:0}
.rows .acts-row td{padding-top:0}
.rows tr:has(+.acts-row) td{padding-bottom:.125rem}
.rows .acts-row td{padding-bottom:.375rem}
.rows .acts-row summary{font-size:.875rem}
.rows .word{overflow-wrap:break-word}
.rows .number{text-align:end;font-variant-numeric:tabular-nums}
.rows td[data-column]:empty::before{display:none}
.rows .acts{margin:0}
.rows .acts>li{padding:0;border:0}
.pages{display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;margin-top:1rem}
time{white-space:nowrap}
.method{display:inline-block;min-width:4.25rem;padding:.0625rem .375rem;border:1px solid var(--control);border-radius:.375rem;font-size:.8125rem;font-weight:650;text-align:center;white-space:nowrap;overflow-wrap:normal}
.method:is(.delete,.put,.patch){color:var(--warn)}
.method.get{color:var(--link)}
.request{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem .75rem}
.answer{padding:.5rem 0;border-bottom:1px solid var(--line)}
.console .answer>summary{display:list-item;list-style:disclosure-closed inside;text-decoration:none;color:var(--text)}
.console .answer[open]>summary{list-style-type:disclosure-open}
.copied{margin:.5rem 0 0;padding:1rem;border-radius:.75rem;background:var(--soft);white-space:pre-wrap;direction:ltr;text-align:start}
.copied code{user-select:all}
.search{display:grid;gap:.75rem;margin-top:1rem}
.search button{margin-top:0}
time[title]{cursor:help}
@media (max-width:26rem){
time{white-space:normal}
}
@media (max-width:24rem){
.console h1{font-size:1.25rem}
.rows td[data-column]{grid-template-columns:minmax(0,1fr)!important}
}
@media (max-width:40rem){
.rows,.rows thead,.rows tbody,.rows tr,.rows td{display:block}
.rows thead th{position:static;box-shadow:none}
.rows th{display:none}
.rows th:is([aria-sort],:has(a)){display:inline-block;padding-inline-end:1rem}
.rows td[data-column]{display:grid;grid-template-columns:8.75rem minmax(0,1fr);padding:.125rem 0;border:0;text-align:start}
.rows td[data-column]::before{content:attr(data-column);color:var(--muted)}
.rows tr{padding-block:.625rem;border-bottom:1px solid var(--line)}
.rows tr:has(+.acts-row){padding-bottom:0;border-bottom:0}
.rows .acts-row{padding-top:.25rem}
.rows .acts-row td{border:0;padding:0}
}
@media (min-width:40rem){
.rows :is(td,th){min-width:5.5rem}
.search{grid-template-columns:minmax(0,30rem) auto;justify-content:start;align-items:end}
.search button{width:auto}
.console header,.console main,.console footer,.find{padding-inline:2rem}
.console main{margin-top:0;padding-block:1.5rem 1rem}
.find{grid-template-columns:minmax(0,40rem) auto;justify-content:start}
.console:not(.with-menu) :is(header,main){max-width:44rem}
}
@media (min-width:68.75rem){
.console.with-menu{display:grid;grid-template-columns:15rem minmax(0,1fr)}
.with-menu>header{position:sticky;inset-block-start:0;align-self:start;display:flex;flex-direction:column;align-items:stretch;gap:1.25rem;width:100%;height:100dvh;margin:0;padding:1.25rem .75rem;overflow-y:auto;background:var(--page);border:0;border-inline-end:1px solid var(--line)}
.with-menu>header .brand{padding-inline:.5rem}
.with-menu .menu-button{display:none}
#menu,#menu:popover-open{position:static;flex:1;display:flex;flex-direction:column;gap:.75rem;width:auto;height:auto;margin:0;padding:0;border:0;overflow:visible;background:none}
#menu nav a{min-height:2.5rem}
#menu nav a:is(:hover,[aria-current]){background:color-mix(in srgb,var(--link) 12%,transparent)}
.who-am-i{padding:.75rem .5rem 0}
.columns{display:grid;grid-template-columns:minmax(0,1fr) minmax(20rem,25rem);gap:0 2rem;align-items:start}
.columns>aside>.card:first-child{margin-top:1.75rem}
}
@media (min-width:68.75rem) and (max-width:84rem){.columns{grid-template-columns:minmax(0,1fr) 21rem;gap:0 1.5rem}}
@media (forced-colors:active){.badge,.card,.count{border:1px solid}}
@media print{
.console.with-menu{display:block}
.console :is(header,footer,.find,.skip,.acts,.more-actions){display:none}
time[title]{white-space:normal}
time[title]::after{content:" (" attr(title) ")"}
}
`;

export const houseStyle = rules.replaceAll("\n", "");
