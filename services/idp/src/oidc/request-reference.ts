/** Names a request in our log; the bridge alone sets it. */
export const referenceHeader = "x-service-reference";
