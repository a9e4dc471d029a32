export interface AuditMark {
  /** Answered calls. */
  readonly calls: number
}

export const AUDIT_FILE = 'audit.jsonl'
