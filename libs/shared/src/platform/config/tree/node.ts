import type { Mapping } from "../../json/index.ts";
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
/** A mapping of a `structure` has any depth and names that the site chooses; its user validates it. */
export type LeafValue = string | number | boolean | readonly string[] | Mapping;

interface Node<Value> {
  readonly description: string;
  /** Never set: carries the type of what the node describes. */
  readonly valueType?: () => Value;
}

/** One key with a value. */
export interface LeafNode<Value = unknown> extends Node<Value> {
  readonly kind: "leaf";
  readonly type: LeafType;
  /** Absent: the key is required. Durations are in milliseconds. */
  readonly default?: LeafValue | undefined;
  /** The key whose value applies while this one is not set. */
  readonly defaultFrom?: string | undefined;
  readonly secret: boolean;
  /** Absent: `restart`, unless a section around it says otherwise. */
  readonly reload?: Reload | undefined;
  readonly unit?: string | undefined;
  readonly form?: FormName | undefined;
  readonly choices: readonly string[];
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  /** An unset text is empty, whatever its minimum. */
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly minItems?: number | undefined;
  /** What the generated documents show for a key without a default. */
  readonly example?: LeafValue | undefined;
}

/** A mapping with fixed names. */
export interface SectionNode<Value = unknown> extends Node<Value> {
  readonly kind: "section";
  readonly children: ReadonlyMap<string, SchemaNode>;
}

/** A list of sections (`list`), or sections under free names (`map`). */
export interface CollectionNode<Value = unknown> extends Node<Value> {
  readonly kind: "list" | "map";
  readonly entry: SectionNode;
}

export type SchemaNode = LeafNode | SectionNode | CollectionNode;

/** What a node describes, as it is read: every key filled. */
export type ValueOf<Described> = Described extends Node<infer Value> ? Value : never;
