const duration =
  /^P(?!$)(?:(\d{1,4})Y)?(?:(\d{1,5})M)?(?:(\d{1,6})D)?(?:T(?!$)(?:(\d{1,6})H)?(?:(\d{1,8})M)?(?:(\d{1,9})(?:\.\d{1,9})?S)?)?$/;
const unitSeconds = [365 * 86_400, 30 * 86_400, 86_400, 3600, 60, 1] as const;

/** An xs:duration in milliseconds; years of 365 and months of 30 days. Undefined for anything else, and for negative ones. */
export function durationMs(text: string): number | undefined {
  const parts = duration.exec(text);
  if (parts === null) return undefined;
  return unitSeconds.reduce((sum, seconds, index) => sum + Number(parts[index + 1] ?? 0) * seconds, 0) * 1000;
}
