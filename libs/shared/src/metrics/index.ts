export {
  type ClosedLabels,
  type CounterSeries,
  createMetrics,
  type HistogramSeries,
  type LabelValues,
  type MetricOptions,
  type Metrics,
} from "./registry.ts";
