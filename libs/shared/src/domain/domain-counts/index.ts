export * from "./periods.ts";
export { createDomainCountReader, type DomainCounts, type ReadDomainCounts } from "./read-domain-counts.ts";
