import { LONG_ARGS_MAX_BYTES, type OwnerOf, question } from '#platform/contract.ts'
import type { AuditTurn } from './audit-log.ts'
import type { AuditOutcome, AuditRecord, ChangeSubject } from './audit-record.ts'

/** Longer than the calls before it may take. */
const BEGIN_DEADLINE_MS = 200_000

/** The log of what was changed, and by whom. */
export const AUDIT = {
  /** Before a change; resolves when those of its kind that came before are over. */
  begin: question<[subject: ChangeSubject, record: AuditRecord, owner: string], AuditTurn>({
    deadlineMs: BEGIN_DEADLINE_MS,
    maxArgBytes: LONG_ARGS_MAX_BYTES,
  }),
  /** Resolves when it is written. */
  end: question<[turn: number, outcome: AuditOutcome], void>({ maxArgBytes: LONG_ARGS_MAX_BYTES }),
}

export type LiveAudit = OwnerOf<typeof AUDIT>
