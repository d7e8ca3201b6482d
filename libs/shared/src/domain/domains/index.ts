export { comparableDomain, type Domain, domainOfRecord, type KnownDomain, unknownDomain } from "./domain.ts";
export { type CallerDomains, Domains, outsideMark, type PlacedName } from "./domains.ts";
export { accountsFor, limitCallers } from "./limit-callers.ts";
export { InvalidRecord, type ReadRecord, RecordCache, type RecordCacheSettings } from "./record-cache.ts";
