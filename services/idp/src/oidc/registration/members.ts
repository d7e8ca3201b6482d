import { isRecord } from "../storage/models.ts";
import { invalid, type Refusal } from "./registration.ts";

export const badName = invalid("client_name is too long, has invisible characters or mixes scripts");

const longestSoftware = 128;
const printable = /^[\x21-\x7e]+$/;

/** `software_id` or `software_version`; undefined if the client gave none that is usable. */
export function softwareOf(value: unknown): string | undefined {
  return typeof value === "string" && value.length <= longestSoftware && printable.test(value) ? value : undefined;
}

/** Reads the members of a registration request and keeps the first fault. An empty member counts as absent (RFC 7592 §2.2). */
export function readMembers(body: unknown) {
  const fields = isRecord(body) ? body : {};
  let refusal: Refusal | undefined = isRecord(body) ? undefined : invalid("the request must be a JSON object");
  const refuse = (fault: Refusal): void => {
    refusal ??= fault;
  };
  const value = (name: string): unknown => {
    const found = Object.hasOwn(fields, name) ? fields[name] : undefined;
    return found === null || found === "" ? undefined : found;
  };
  return {
    get refusal(): Refusal | undefined {
      return refusal;
    },
    refuse,
    value,
    /** The empty text if it is absent. */
    text: (name: string): string => {
      const found = value(name) ?? "";
      if (typeof found === "string") return found;
      refuse(invalid(`${name} must be a string`));
      return "";
    },
    flag: (name: string): boolean => {
      const found = value(name) ?? false;
      if (typeof found !== "boolean") refuse(invalid(`${name} must be true or false`));
      return found === true;
    },
    /** A whole number from 1 to `longest`; undefined if it is absent. */
    count: (name: string, longest: number): number | undefined => {
      const found = value(name);
      if (found === undefined) return undefined;
      if (typeof found === "number" && Number.isInteger(found) && found > 0 && found <= longest) return found;
      refuse(invalid(`${name} must be a whole number from 1 to ${longest}`));
      return undefined;
    },
    /** Undefined if it is absent. */
    list: (name: string): readonly string[] | undefined => {
      const found = value(name);
      if (found === undefined) return undefined;
      if (Array.isArray(found) && found.every((item) => typeof item === "string")) return [...new Set(found)];
      refuse(invalid(`${name} must be a list of strings`));
      return [];
    },
    choice: <const Choice extends string>(name: string, choices: readonly Choice[], fallback: Choice): Choice => {
      const found = value(name) ?? fallback;
      const chosen = choices.find((one) => one === found);
      if (chosen === undefined) refuse(invalid(`${name} must be ${choices.filter((one) => one !== "").join(" or ")}`));
      return chosen ?? fallback;
    },
    /** Refuses a request that contains this member: ignoring it would give the client something else than it wants. */
    forbid: (name: string, why: string): void => {
      if (value(name) !== undefined) refuse(invalid(`${name} ${why}`));
    },
  };
}

export type Members = ReturnType<typeof readMembers>;
