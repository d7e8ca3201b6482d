const rules = `
.world{display:block;width:100%;height:auto;margin-top:1rem;direction:ltr}
.world .land{fill:color-mix(in srgb,var(--muted) 26%,var(--card));fill-rule:evenodd}
.world .borders{fill:none;stroke:var(--card);stroke-width:1;vector-effect:non-scaling-stroke}
.world circle{fill:var(--c);fill-opacity:.5;stroke:var(--c);stroke-width:1.5;vector-effect:non-scaling-stroke}
.world circle:hover{fill-opacity:.8}
.sizes{display:flex;flex-wrap:wrap;align-items:center;gap:.25rem 1.25rem;margin:.25rem 0 0;color:var(--muted);font-size:.875rem}
.about-range .ranges+.ranges{margin-inline-start:0}
.parts{display:grid;gap:0 2.5rem;grid-template-columns:repeat(auto-fit,minmax(min(24rem,100%),1fr))}
.parts>section{min-width:0}
.shares{width:100%;border-collapse:collapse;margin-top:.5rem;font-size:.9375rem}
.shares :is(th,td){padding:.375rem 0;text-align:start;font-weight:400;vertical-align:top}
.shares th[scope=row]{overflow-wrap:anywhere}
.shares thead th{color:var(--muted);font-weight:600;font-size:.875rem}
.shares .number{width:1%;padding-inline-start:1.25rem;text-align:end;white-space:nowrap;font-variant-numeric:tabular-nums}
.shares .bars td{padding:0 0 .375rem;border-bottom:1px solid var(--line)}
.shares .bars svg{display:block;width:100%;height:.5rem}
[dir=rtl] .shares .bars svg{transform:scaleX(-1)}
.shares .bars .rest{fill:var(--line)}
.shares small{color:var(--muted);font-size:.8125rem}
@media (max-width:40rem){.shares .number{padding-inline-start:.625rem}}
@media (forced-colors:active){.world circle{forced-color-adjust:none}}
`;

export const originsStyle = rules.replaceAll("\n", "");
