import type { Panel, Thresholds } from "./panels.ts";

const source = { type: "prometheus", uid: "${datasource}" };
const columns = 24;
const sizes = { stat: { w: 6, h: 4 }, stats: { w: 12, h: 4 }, table: { w: 12, h: 8 }, timeseries: { w: 12, h: 8 } };

/** A panel of one number is small; one with a number for each series is as wide as a chart. */
function sizeOf({ type, series }: Panel) {
  const isOfMany = type === "stat" && series.some(({ legend }) => legend.includes("{{"));
  return sizes[isOfMany ? "stats" : (type ?? "timeseries")];
}

/** The panels of a board, by the heading of their row. */
export type Rows = Readonly<Record<string, readonly Panel[]>>;

/** The Prometheus jobs have the names of the services. */
export const jobs = ["gateway", "auth-engine", "idp", "admin", "jobs-worker"];
/** What the variables choose. `.*`, their default, also matches series without the label. */
const chosen = 'namespace=~"$namespace",instance=~"$instance"';

/** The query for the job of a board and for what its variables choose. */
function selecting(query: string, job: string | undefined): string {
  const labels = job === undefined ? chosen : `job="${job}",${chosen}`;
  return query.replaceAll(
    /\b((?:service|backchannel|process|nodejs)_[a-z0-9_]+|up(?=\{))(\{?)/gu,
    (_, metric: string, brace: string) => `${metric}{${labels}${brace === "" ? "}" : ","}`,
  );
}

function thresholdsObject([lowest, ...steps]: Thresholds) {
  return {
    mode: "absolute",
    steps: [{ value: null, color: lowest }, ...steps.map(([value, color]) => ({ value, color }))],
  };
}

/** What only this type of panel has. */
const ofType = {
  stat: {
    options: {
      colorMode: "background",
      graphMode: "none",
      textMode: "auto",
      reduceOptions: { calcs: ["lastNotNull"] },
    },
  },
  table: {
    // One row for each series: its labels are the columns, and its value says nothing.
    transformations: [{ id: "organize", options: { excludeByName: { Time: true, Value: true }, renameByName: {} } }],
  },
  timeseries: {
    options: {
      legend: { showLegend: true, displayMode: "list", placement: "bottom", calcs: [] },
      tooltip: { mode: "multi", sort: "desc" },
    },
  },
};

function panelObject(panel: Panel, job: string | undefined) {
  const { title, description, series, unit, type = "timeseries", thresholds = ["green"], isStacked } = panel;
  const isInstant = type !== "timeseries";
  const isBounded = thresholds.length > 1;
  const custom = {
    fillOpacity: isStacked ? 30 : 0,
    stacking: { mode: isStacked ? "normal" : "none" },
    thresholdsStyle: { mode: isBounded ? "line" : "off" },
  };
  return {
    type,
    title,
    description,
    datasource: source,
    fieldConfig: {
      defaults: {
        unit,
        ...(!isInstant && { min: 0, custom }),
        thresholds: thresholdsObject(thresholds),
      },
      overrides: [],
    },
    targets: series.map(({ query, legend }, index) => ({
      refId: "ABC".charAt(index),
      datasource: source,
      expr: selecting(query, job),
      legendFormat: legend,
      ...(isInstant && { instant: true, range: false }),
      ...(type === "table" && { format: "table" }),
    })),
    ...ofType[type],
  };
}

/** Rows and panels from left to right and from top to bottom. */
function laidOut(rows: Rows, job: string | undefined) {
  let y = 0;
  const objects = Object.entries(rows).flatMap(([title, panels]) => {
    const row = { type: "row", title, collapsed: false, panels: [], gridPos: { x: 0, y, w: columns, h: 1 } };
    y += 1;
    let x = 0;
    let height = 0;
    const placed = panels.map((panel) => {
      const { w, h } = sizeOf(panel);
      if (x + w > columns) {
        x = 0;
        y += height;
        height = 0;
      }
      const gridPos = { x, y, w, h };
      x += w;
      height = Math.max(height, h);
      return { ...panelObject(panel, job), gridPos };
    });
    y += height;
    return [row, ...placed];
  });
  return objects.map((object, index) => ({ id: index + 1, ...object }));
}

/** A variable for a label of what Prometheus scrapes; all values, and series without the label, by default. */
function variable(name: string, label: string, query: string) {
  const current = { selected: true, text: ["All"], value: ["$__all"] };
  return {
    name,
    label,
    type: "query",
    datasource: source,
    query: { query, refId: name },
    refresh: 2,
    sort: 1,
    multi: true,
    includeAll: true,
    allValue: ".*",
    current,
  };
}

/**
 * A Grafana dashboard as JSON, to be imported or provisioned. Each panel is a line.
 *
 * @param names of all boards, to which this one links
 */
export function boardJson(name: string, rows: Rows, names: readonly string[]): string {
  const job = jobs.includes(name) ? name : undefined;
  const scraped = `up{job=~"${job ?? jobs.join("|")}"`;
  const isOfRecords = name === "slo";
  // An instance of one service is none of another.
  const carried = `\${datasource:queryparam}${isOfRecords ? "" : "&${namespace:queryparam}"}`;
  const { panels, ...board } = {
    uid: `postern-${name}`,
    title: `Postern: ${name}`,
    tags: ["postern"],
    schemaVersion: 39,
    editable: true,
    refresh: "30s",
    time: { from: "now-6h", to: "now" },
    links: names
      .filter((other) => other !== name)
      .map((other) => ({
        type: "link",
        title: other,
        url: `/d/postern-${other}?${carried}`,
        keepTime: true,
        asDropdown: false,
        icon: "dashboard",
        includeVars: false,
        tags: [],
        targetBlank: false,
        tooltip: "",
      })),
    templating: {
      list: [
        { name: "datasource", type: "datasource", query: "prometheus", label: "Data source" },
        ...(isOfRecords
          ? []
          : [
              variable("namespace", "Namespace", `label_values(${scraped}}, namespace)`),
              variable("instance", "Instance", `label_values(${scraped},namespace=~"$namespace"}, instance)`),
            ]),
      ],
    },
    panels: laidOut(rows, job),
  };
  const head = Object.entries(board).map(([key, value]) => `  "${key}": ${JSON.stringify(value)},\n`);
  const lines = panels.map((panel) => `    ${JSON.stringify(panel)}`);
  return `{\n${head.join("")}  "panels": [\n${lines.join(",\n")}\n  ]\n}\n`;
}
