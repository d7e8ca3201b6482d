export interface Exemplar {
  readonly labelSet: { readonly trace_id: string };
  readonly value: number;
  /** Seconds since the epoch. */
  readonly timestamp: number;
}

/** A metric as prom-client's registry lists it. */
interface ListedMetric {
  readonly name: string;
  readonly help: string;
  /** `counter`, `gauge`, `histogram` or `summary`; the library types it as a number. */
  readonly type: unknown;
  readonly values: readonly ListedValue[];
}

interface ListedValue {
  readonly value: number;
  readonly labels: object;
  readonly metricName?: string | undefined;
  /** `null` in histograms of prom-client without one. */
  readonly exemplar?: Exemplar | null | undefined;
}

const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", '"': '\\"' };

function escaped(text: string): string {
  return text.replaceAll(/[\\\n"]/g, (character) => escapes[character] ?? character);
}

function labelled(labels: object): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(String(value))}"`);
  return `{${pairs.join(",")}}`;
}

function number(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? "+Inf" : "-Inf";
}

function line(name: string, { value, labels, exemplar }: ListedValue): string {
  const sample = `${name}${Object.keys(labels).length === 0 ? "" : labelled(labels)} ${number(value)}`;
  if (exemplar === undefined || exemplar === null) return sample;
  const { labelSet, value: seen, timestamp } = exemplar;
  return `${sample} # ${labelled(labelSet)} ${number(seen)} ${timestamp.toFixed(3)}`;
}

/**
 * The OpenMetrics text format. prom-client writes it too, but renames its counters in the process, so that one registry cannot serve both
 * formats.
 */
export function renderOpenMetrics(metrics: readonly ListedMetric[]): string {
  const lines = metrics.flatMap(({ name, help, type, values }) => {
    // The samples of a counter end in _total, its family does not; other counters have no place in the format.
    const isTotal = type === "counter" && name.endsWith("_total");
    const family = isTotal ? name.slice(0, -"_total".length) : name;
    const word = type === "counter" && !isTotal ? "unknown" : String(type);
    return [
      `# HELP ${family} ${escaped(help)}`,
      `# TYPE ${family} ${word}`,
      ...values.map((each) => line(each.metricName ?? name, each)),
    ];
  });
  return `${[...lines, "# EOF"].join("\n")}\n`;
}
