import { dropHistory, inspectHistory } from '#chain/ledger/history.ts'
import { repairHistory } from '#chain/ledger/repair-history.ts'
import { formatBytes, tellBytes } from '#cli/byte-progress.ts'
import { defineCommand } from '#cli/command.ts'
import { tellEachSecond } from '#cli/each-second.ts'
import { onInterrupt } from '#cli/interrupt.ts'
import { readLedger } from '#cli/read-ledger.ts'
import { integer, path } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { readLogOptions } from '#node/log-settings.ts'
import { createLog } from '#platform/log/log.ts'
import { Fault } from '#types/fault.ts'

const NAME_WIDTH = 24
const BLOCKS_WIDTH = 28
const BYTES_WIDTH = 12

export const listHistory = defineCommand({
  options: {},
  async run({ root, io }) {
    const line = (name: string, blocks: string, bytes: string, holds: string) =>
      `${name.padEnd(NAME_WIDTH)}${blocks.padStart(BLOCKS_WIDTH)}${bytes.padStart(BYTES_WIDTH)}  ${holds}\n`
    io.out(line('Segment', 'blocks', 'bytes', 'content'))
    let bytes = 0
    for await (const segment of inspectHistory(readLedger(root()))) {
      const holds = segment.problem ?? contentOf(segment)
      io.out(line(segment.name, rangeOf(segment), formatBytes(segment.bytes), holds))
      bytes += segment.bytes
    }
    io.out(`Files: ${formatBytes(bytes)}.\n`)
  },
})

export const verifyHistory = defineCommand({
  options: {},
  async run({ root, io }) {
    const signal = onInterrupt((name) => io.err(`Received ${name}.\n`))
    const tell = tellBytes(io)
    const onBytes = (doneBytes: number, totalBytes: number) => tell('verified', { doneBytes, totalBytes })
    let segments = 0
    let damaged = 0
    for await (const segment of inspectHistory(readLedger(root()), { signal, onBytes })) {
      segments++
      if (segment.problem === undefined) continue
      damaged++
      io.out(`Blocks ${rangeOf(segment)}: ${segment.problem}\n`)
    }
    if (damaged > 0) {
      const sentence = `Damaged segments: ${damaged} of ${segments}. The node serves all other blocks meanwhile.`
      throw new Fault('SEGMENT_DAMAGED', { sentence })
    }
    if (signal.aborted) {
      const sentence = `Interrupted; the first ${segments} segments are intact. Run the command again for all.`
      throw new Fault('INTERRUPTED', { sentence })
    }
    io.out(`The ${segments} segments are intact: checksums, blocks and indexes.\n`)
  },
})

const repairOptions = defineOptions('Options', {
  from: {
    flag: '--from',
    kind: path,
    label: 'DIRECTORY',
    required: true,
    help: "A backup, another node's data directory, or a folder of segments.",
  },
})

export const repairSegments = defineCommand({
  options: repairOptions,
  async run({ own, root, io }) {
    const signal = onInterrupt((name) => io.err(`Received ${name}.\n`))
    const tell = tellBytes(io)
    const onBytes = (doneBytes: number, totalBytes: number) => tell('verified', { doneBytes, totalBytes })
    const from = own.get(repairOptions.from)
    let [repaired, failed] = [0, 0]
    for await (const { segment, failure } of repairHistory(readLedger(root()), from, { signal, onBytes })) {
      if (failure === undefined) repaired++
      else failed++
      io.out(`${segment.problem}\n${failure === undefined ? 'Repaired.' : `Not repaired: ${failure}`}\n`)
    }
    if (failed > 0) {
      const sentence = `Segments that are still damaged: ${failed}. Give the command again with another directory.`
      throw new Fault('SEGMENT_DAMAGED', { sentence })
    }
    if (signal.aborted) {
      const sentence = 'Interrupted; finished repairs stay. Run the command again to continue.'
      throw new Fault('INTERRUPTED', { sentence })
    }
    io.out(repaired === 0 ? 'No segment is damaged.\n' : `Repaired segments: ${repaired}.\n`)
  },
})

const pruneOptions = defineOptions('Options', {
  keep: {
    flag: '--keep',
    kind: integer({ min: 0 }),
    label: 'NUMBER',
    required: true,
    help: 'Recent blocks to keep complete, including the head.',
    details: 'Only segments before them are reduced to headers; blocks in the database stay.',
  },
})

export const pruneHistory = defineCommand({
  options: pruneOptions,
  async run({ own, root, io }) {
    const settings = root()
    const tell = tellEachSecond(io)
    const signal = onInterrupt((name) => io.err(`Received ${name}; finishing the segment under way.\n`))
    const first = await dropHistory(readLedger(settings), {
      log: createLog(readLogOptions(settings)).child('history'),
      keep: own.get(pruneOptions.keep),
      signal,
      onSegment: (done, of) => tell(() => `Reduced segments of blocks before ${done} of ${of}.`),
    })
    io.out(`Complete blocks begin with block ${first}; earlier ones have headers.\n`)
    if (signal.aborted) io.out('Interrupted: run the command again to continue.\n')
  },
})

function contentOf({
  isOutline,
  hasOnlyHeaders,
}: {
  readonly isOutline: boolean
  readonly hasOnlyHeaders: boolean
}): string {
  if (isOutline) return 'headers; the rest is in the archive'
  return hasOnlyHeaders ? 'headers' : 'complete blocks'
}

function rangeOf({ first, last }: { readonly first: number; readonly last: number | undefined }): string {
  return last === undefined ? `from ${first}` : `${first} to ${last}`
}
