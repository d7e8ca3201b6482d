import { Type } from "typebox";
import { defineMethod } from "../define.ts";
import { text } from "../schema.ts";

const LentFunction = Type.Union([
  Type.Literal("sql.query"),
  Type.Literal("sql.execute"),
  Type.Literal("sql.transaction"),
  Type.Literal("ldap.search"),
]);

/** Functions of script modules that need the backends' pools, which only engines have. */
export const lentScriptFunctions = LentFunction.anyOf.map(({ const: name }) => name);

/** Calls a function of a script module for a script that runs in another service. */
export const scriptModule = defineMethod({
  service: "auth-engine",
  name: "script-module",
  major: 1,
  request: Type.Object({
    script: text("Path of the script, for logs.", { minLength: 1, maxLength: 4096 }),
    function: LentFunction,
    args: Type.Array(Type.Unknown(), { maxItems: 8, description: "Arguments of the script, as Lua values." }),
  }),
  reply: Type.Union([
    Type.Object({ outcome: Type.Literal("ok"), value: Type.Optional(Type.Unknown({ description: "A Lua value." })) }),
    Type.Object({
      outcome: Type.Literal("error"),
      message: text("Error message for the script."),
    }),
  ]),
});
