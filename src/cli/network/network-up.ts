import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { defineCommand } from '#cli/command.ts'
import { onInterrupt } from '#cli/interrupt.ts'
import type { Io } from '#cli/io.ts'
import { boolean } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { DOWN_LIMIT_MS } from '#fleet/await-node.ts'
import { nodesOf } from '#fleet/network-directory.ts'
import { formatCauses, formatTable, reportNetwork } from '#fleet/network-report.ts'
import { tailOf } from '#fleet/node-log.ts'
import { stopNodes } from '#fleet/node-process.ts'
import { refusal } from '#fleet/plan-network.ts'
import { writeTargets } from '#fleet/scrape-targets.ts'
import { supervise } from '#fleet/supervise.ts'
import { SupervisorFile } from '#fleet/supervisor-file.ts'
import { pause, systemClock } from '#platform/clock.ts'
import { LiveLines } from './live-lines.ts'
import { networkOptions } from './network-options.ts'

const SHOW_MS = 1_000
const START_LIMIT_MS = 120_000
const SHOWN_LOG_LINES = 5

const upOptions = {
  ...networkOptions,
  ...defineOptions('Options', {
    detach: {
      flag: '--detach',
      kind: boolean,
      default: false,
      help: 'Return once every node answers; leave them running.',
    },
  }),
}

export const networkUp = defineCommand({
  options: upOptions,
  async run({ own, io }) {
    const directory = resolve(own.get(upOptions.directory))
    nodesOf(directory)
    const file = new SupervisorFile(directory)
    if (own.get(upOptions.detach)) {
      if (file.pid() !== undefined) throw watchedAlready(file)
      return detach(directory, file, io)
    }
    if (!file.claim()) throw watchedAlready(file)
    try {
      writeTargets(directory)
      await watch(directory, new LiveLines(io))
    } finally {
      file.release()
    }
  },
})

function watchedAlready(file: SupervisorFile) {
  return refusal(
    `The network is up, watched by process ${file.pid() ?? 'of another command'}: 'cairn network status' shows it, 'cairn network down' stops it.`,
  )
}

/** Runs until the first SIGINT or SIGTERM; then stops the nodes. */
async function watch(directory: string, lines: LiveLines): Promise<void> {
  const tell = (sentence: string) => lines.say(sentence)
  const signal = onInterrupt(() => {
    lines.freeze()
    tell('Stopping the network.')
  })
  const table = showTable(directory, lines, signal)
  await supervise({ directory, clock: systemClock, signal, tell })
  await table
  await stopNodes(nodesOf(directory))
  tell('The network has stopped.')
}

async function showTable(directory: string, lines: LiveLines, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    lines.show(formatTable(await reportNetwork(nodesOf(directory))))
    await pause(systemClock, SHOW_MS)
  }
}

async function detach(directory: string, file: SupervisorFile, io: Io): Promise<void> {
  const logFile = join(directory, 'supervisor.log')
  const log = openSync(logFile, 'a')
  const child = spawn(process.execPath, [process.argv[1]!, 'network', 'up', `--directory=${directory}`], {
    detached: true,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  child.unref()
  const beganMs = systemClock.monotonicMs()
  for (;;) {
    const reports = await reportNetwork(nodesOf(directory))
    const isUp =
      file.pid() !== undefined && reports.every(({ state }) => ['running', 'stopped'].includes(state))
    if (isUp) return io.out(`${formatTable(reports).join('\n')}\n`)
    const waitedMs = systemClock.monotonicMs() - beganMs
    if (child.exitCode !== null || waitedMs > START_LIMIT_MS) {
      throw refusal(`The network did not come up:\n${tailOf(logFile, SHOWN_LOG_LINES).text}`)
    }
    const ended = reports.filter(({ state }) => state === 'down')
    if (ended.length > 0 && waitedMs > DOWN_LIMIT_MS) {
      throw refusal(
        `Not every node stays up; they are tried again and again until 'cairn network down'.\n${formatCauses(ended).join('\n')}`,
      )
    }
    await pause(systemClock, SHOW_MS / 4)
  }
}

const statusOptions = {
  ...networkOptions,
  ...defineOptions('Options', {
    json: { flag: '--json', kind: boolean, default: false, help: 'Print a JSON array, for scripts.' },
  }),
}

export const networkStatus = defineCommand({
  options: statusOptions,
  async run({ own, io }) {
    const reports = await reportNetwork(nodesOf(own.get(statusOptions.directory)))
    if (own.get(statusOptions.json)) return io.out(`${JSON.stringify(reports, undefined, 2)}\n`)
    io.out([...formatTable(reports), ...formatCauses(reports), ''].join('\n'))
  },
})
