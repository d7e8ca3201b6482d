/** A document as it was last taken. */
export interface MetadataDocument {
  readonly xml: string;
  /** Milliseconds since the epoch. */
  readonly takenAtMs: number;
}

/** The last good documents, which a replica that starts while their source is away finds. Rejects while Redis is away. */
export interface MetadataCopies {
  save(url: string, document: MetadataDocument): Promise<void>;
  find(url: string): Promise<MetadataDocument | undefined>;
}
