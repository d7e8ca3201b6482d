/** Operations that a site may name in `openapi_validation.operations` (contract: an allowlist of management operations). */
export const validatedOperations: readonly string[] = [
  "flushUserCache",
  "enqueueUserCacheFlush",
  "flushBruteForceRule",
  "enqueueBruteForceRuleFlush",
  "listBruteForceEntries",
  "listFilteredBruteForceEntries",
];
