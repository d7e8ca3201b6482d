/** Identifies a request in the log; only the bridge sets it. */
export const referenceHeader = "x-service-reference";
