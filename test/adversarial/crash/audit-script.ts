export interface AuditMark {
  /** Calls that were answered. */
  readonly calls: number
}

export const AUDIT_FILE = 'audit.jsonl'
