import { changing, type OwnerOf, question } from '#platform/contract.ts'
import type { LogLevel } from './log-level.ts'

export const LOG = {
  /** On every thread; for all loggers, or only for the named ones and those beneath them. */
  setLevel: changing<[level: LogLevel, names?: readonly string[]], LevelVerdict>('log levels'),
  /** By names of loggers; '' stands for all others. */
  levels: question<[], Readonly<Record<string, LogLevel>>>(),
}

/** `tooMany`: more loggers than can have levels of their own. */
export type LevelVerdict = 'set' | 'tooMany'

export type LiveLog = OwnerOf<typeof LOG>
