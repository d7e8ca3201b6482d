/** Operations that a site may list in `openapi_validation.operations`: management operations only. */
export const validatedOperations: readonly string[] = [
  "flushUserCache",
  "enqueueUserCacheFlush",
  "flushBruteForceRule",
  "enqueueBruteForceRuleFlush",
  "listBruteForceEntries",
  "listFilteredBruteForceEntries",
];
