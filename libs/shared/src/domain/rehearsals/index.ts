export { createRehearsals, type RehearsalRecord, type Rehearsals } from "./rehearsals.ts";
