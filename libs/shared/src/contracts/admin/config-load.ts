import { type Static, Type } from "typebox";
import { Envelope } from "./envelope.ts";

/** `GET /api/v1/config/load`: the effective configuration as JSON in a string, with secrets masked. */
export const ConfigLoad = Envelope("config", "load", Type.String());
export type ConfigLoad = Static<typeof ConfigLoad>;
