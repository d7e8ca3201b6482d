export {
  type ClosedLabels,
  type CounterSeries,
  createMetrics,
  type Exposition,
  type LabelValues,
  type MetricOptions,
  type Metrics,
} from "./registry.ts";
export type { HistogramSeries } from "./tallied-histogram.ts";
