import type { FormName } from "../forms.ts";

/** `live`: a reload applies it; `restart`: a changed value waits for the next start. */
export type Reload = "live" | "restart";

export type LeafType =
  | "text"
  | "scalar"
  | "flag"
  | "integer"
  | "number"
  | "duration"
  | "choice"
  | "texts"
  | "structure";
/** A mapping of any depth whose names the site chooses; its user validates it. */
export interface Structure {
  readonly [name: string]: unknown;
}
export type LeafValue = string | number | boolean | readonly string[] | Structure;

/** One key with a value. */
export interface LeafNode {
  readonly kind: "leaf";
  readonly type: LeafType;
  readonly description: string;
  /** Absent: the key is required. Durations are in milliseconds. */
  readonly default?: LeafValue | undefined;
  readonly defaultFrom?: string | undefined;
  readonly secret: boolean;
  readonly reload: Reload;
  readonly unit?: string | undefined;
  readonly form?: FormName | undefined;
  readonly choices: readonly string[];
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly minItems?: number | undefined;
  readonly example?: LeafValue | undefined;
}

/** A mapping with fixed names. */
export interface SectionNode {
  readonly kind: "section";
  readonly description: string;
  readonly children: ReadonlyMap<string, SchemaNode>;
}

/** A list of sections (`list`), or sections under free names (`map`). */
export interface CollectionNode {
  readonly kind: "list" | "map";
  readonly description: string;
  readonly entry: SectionNode;
}

export type SchemaNode = LeafNode | SectionNode | CollectionNode;
