import { changing, question } from '#platform/contract.ts'
import type { LogLevel } from './log-level.ts'

export const LOG = {
  /** Sets the level on every thread, for all loggers or for the named ones and their children. */
  setLevel: changing<[level: LogLevel, names?: readonly string[]], LevelVerdict>('log levels'),
  /** Levels by logger name; '' is the default. */
  levels: question<[], Readonly<Record<string, LogLevel>>>(),
}

/** `tooMany`: the limit of loggers with their own level is reached. */
export type LevelVerdict = 'set' | 'tooMany'
