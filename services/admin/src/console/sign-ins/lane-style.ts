const rules = `
.lanes{width:100%;margin-top:.75rem;border-collapse:collapse;font-size:.9375rem}
.lanes :is(th,td){padding:.25rem .75rem .25rem 0;text-align:start;vertical-align:middle;border-bottom:1px solid var(--line)}
.lanes td{font-variant-numeric:tabular-nums;white-space:nowrap}
.lanes thead th{color:var(--muted);font-weight:600;vertical-align:bottom;white-space:nowrap;overflow-wrap:normal}
.lanes tbody th{font-weight:600;overflow-wrap:anywhere;min-width:11.5rem;max-width:18rem}
.lanes small{display:block;color:var(--muted);font-weight:400;font-size:.8125rem;line-height:1.35}
.lanes .drawn{width:50%;min-width:9rem;padding-inline-end:1rem}
.lanes td time{white-space:normal}
.lane,.lane-axis{display:block;overflow:visible;direction:ltr}
.lane .grid{stroke:var(--line);fill:none;vector-effect:non-scaling-stroke}
.lane-axis text{fill:var(--muted);font-size:.75rem;font-weight:400}
.day{fill-opacity:.45}
.ring{fill:var(--card);stroke:var(--c);stroke-width:2}
.mark.shape{fill:var(--muted)}
.lane use.mark{stroke:var(--card)}
.lane a:hover use{stroke:var(--text);stroke-width:2}
.band{fill:var(--error);fill-opacity:.3}
.line.change{stroke:var(--text);stroke-width:1.5;stroke-dasharray:3 3;fill:none;vector-effect:non-scaling-stroke}
.timeline li:target{background:var(--soft);outline:2px solid var(--accent);outline-offset:-2px;scroll-margin-top:30vh}
@media (max-width:40rem){
.lanes,.lanes tbody,.lanes tr,.lanes :is(th,td){display:block;border:0}
.lanes thead{display:block}
.lanes thead th{display:none}
.lanes thead .drawn{display:block}
.lanes .drawn{width:100%;padding:.25rem .5rem}
.lanes tr{padding:.5rem 0;border-bottom:1px solid var(--line)}
.lanes thead tr{padding:0;border:0}
.lanes tbody th{max-width:none;padding:0}
.lanes td[data-column]{display:inline-block;padding:0 .75rem 0 0;font-size:.875rem}
.lanes td[data-column]::before{content:attr(data-column) " ";color:var(--muted)}
}
@media (forced-colors:active){.ring,.band,.line.change{forced-color-adjust:none}}
`;

export const laneStyle = rules.replaceAll("\n", "");
