import type { Panel } from "./panels.ts";

const width = 12;
const height = 8;
const source = { type: "prometheus", uid: "${datasource}" };

function panelObject({ title, query, legend, unit }: Panel, index: number, service: string) {
  // Each service is a Prometheus job of that name.
  const expr = query.replaceAll(/\b((?:service|backchannel|process|nodejs)_[a-z0-9_]+)/gu, `$1{job="${service}"}`);
  return {
    id: index + 1,
    type: "timeseries",
    title,
    datasource: source,
    gridPos: { x: (index % 2) * width, y: Math.floor(index / 2) * height, w: width, h: height },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    targets: [{ refId: "A", datasource: source, expr, legendFormat: legend }],
  };
}

/** A Grafana dashboard as JSON, to be imported or provisioned. */
export function boardJson(service: string, panels: readonly Panel[]): string {
  const board = {
    uid: `postern-${service}`,
    title: `Postern: ${service}`,
    tags: ["postern"],
    schemaVersion: 39,
    editable: true,
    refresh: "30s",
    time: { from: "now-6h", to: "now" },
    templating: { list: [{ name: "datasource", type: "datasource", query: "prometheus", label: "Data source" }] },
    panels: panels.map((panel, index) => panelObject(panel, index, service)),
  };
  return `${JSON.stringify(board, null, 2)}\n`;
}
