import { section } from "./fields.ts";

/** The identity provider. Its keys are accepted today and move here with the parts that use them. */
export const Identity = section("The identity provider.", {});
