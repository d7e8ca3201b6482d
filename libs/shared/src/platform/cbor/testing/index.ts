export { type CorpusItem, readCborCorpus } from "./corpus.ts";
export { askOracle, isCommonRule } from "./oracle.ts";
export { cborText, wellFormedCbor } from "./well-formed.ts";
