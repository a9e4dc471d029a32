import type { LogQuery } from '#api/schema/log-filter.ts'
import { LATEST } from '#api/schema/values.ts'

export const ALL_LOGS: LogQuery = {
  kind: 'range',
  fromBlock: { kind: 'number', number: 0n },
  toBlock: LATEST,
  addresses: [],
  topics: [],
}
