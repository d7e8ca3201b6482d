import type { ShadowReport } from "@postern/shared/contracts";
import type { Config } from "@postern/shared/platform/config";

/** What the report says about its configuration; a reload replaces it. */
export type ShownShadowSettings = Pick<ShadowReport, "is_on" | "order" | "percent" | "passwords">;

export function shownShadowSettings({ auth }: Config): ShownShadowSettings {
  const { order, percent, passwords } = auth.shadow;
  return { is_on: order.length > 0 && percent > 0, order: [...order], percent, passwords };
}
