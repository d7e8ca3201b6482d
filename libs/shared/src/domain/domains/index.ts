export { comparableDomain, type Domain, domainOfRecord, type KnownDomain, unknownDomain } from "./domain.ts";
export { Domains, type PlacedName } from "./domains.ts";
export { InvalidRecord, type ReadRecord, RecordCache, type RecordCacheSettings } from "./record-cache.ts";
