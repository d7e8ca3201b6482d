export {
  accountDigest,
  Difference,
  type DifferenceKind,
  differenceKinds,
  differencePlace,
  type Omission,
  omissions,
  type ShadowProtocol,
  shadowProtocol,
  shadowProtocols,
  totalFields,
} from "./differences.ts";
export { createShadowReport, maxDifferences, type ShadowReports } from "./read-report.ts";
export { createShadowWriter, type ShadowBatch, type WriteShadowBatch } from "./write-report.ts";
