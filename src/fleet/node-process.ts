/** The process of a node: started on its own, so that it outlives whoever started it, and found again by its command line. */
import { execFileSync, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { withoutOptions } from '#config/sources.ts'
import { type Clock, pause, systemClock } from '#platform/clock.ts'
import { kindOfPath, readTextBounded, writeFileAtomic } from '#platform/files/files.ts'
import type { FleetNode } from './network-directory.ts'
import { refusal } from './plan-network.ts'

/** A log of this size is put aside when its node starts; one older is kept. */
const MAX_LOG_BYTES = 64 * 1024 * 1024
const MAX_PID_BYTES = 32
const MAX_PATH_BYTES = 4096
const LOOK_MS = 100
/** A node finishes what it is answering, and closes its database. */
export const STOP_MS = 60_000

/** undefined: it does not run. A process id that the system gave to another program meanwhile does not count. */
export function pidOf(node: FleetNode): number | undefined {
  return pidIn(node.pidFile, argumentOf(node))
}

/** The process that a file names, if its command line has this argument. */
export function pidIn(file: string, argument: string): number | undefined {
  let pid: number
  try {
    pid = Number(readTextBounded(file, MAX_PID_BYTES))
  } catch {
    return undefined
  }
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined
  return commandLine(pid)?.includes(argument) ? pid : undefined
}

function argumentOf({ configFile }: FleetNode): string {
  return `--config-file=${configFile}`
}

function commandLine(pid: number): string | undefined {
  try {
    return process.platform === 'linux'
      ? readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      : execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  } catch {
    return undefined
  }
}

/** Which program this node runs from its next start on. */
export function setProgram(node: FleetNode, program: string): void {
  writeFileAtomic(node.programFile, program)
}

/** This program, unless the node was upgraded to another. */
export function programOf({ programFile }: FleetNode): string {
  return kindOfPath(programFile) === undefined
    ? process.argv[1]!
    : readTextBounded(programFile, MAX_PATH_BYTES).trim()
}

/** It goes on when this process ends. */
export function startProcess(node: FleetNode): void {
  const program = programOf(node)
  putAside(node.logFile)
  const log = openSync(node.logFile, 'a')
  try {
    const child = spawn(process.execPath, [program, argumentOf(node)], {
      cwd: node.directory,
      // An option of the operator's shell would hold for every node, the ports too.
      env: withoutOptions(process.env),
      detached: true,
      stdio: ['ignore', log, log],
    })
    child.unref()
    if (child.pid === undefined) {
      throw refusal(
        `${node.name} could not be started; is ${program} a program, and are there processes left?`,
      )
    }
    writeFileAtomic(node.pidFile, String(child.pid))
  } finally {
    closeSync(log)
  }
}

function putAside(file: string): void {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (stat !== undefined && stat.size > MAX_LOG_BYTES) renameSync(file, `${file}.1`)
}

/** Tells the operator's wish to whoever restarts nodes, before the node ends. */
export function wantStopped(node: FleetNode): void {
  writeFileAtomic(node.stoppedFile, '')
}

export function wantRunning(node: FleetNode): void {
  rmSync(node.stoppedFile, { force: true })
}

export function signalProcess(node: FleetNode, signal: 'SIGTERM' | 'SIGKILL'): void {
  const pid = pidOf(node)
  if (pid === undefined) return
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Resolves with the nodes that still run when the time is over. */
export async function untilEnded(
  nodes: readonly FleetNode[],
  limitMs = STOP_MS,
  clock: Clock = systemClock,
): Promise<readonly FleetNode[]> {
  const endMs = clock.monotonicMs() + limitMs
  for (;;) {
    const left = nodes.filter((node) => pidOf(node) !== undefined)
    if (left.length === 0 || clock.monotonicMs() >= endMs) return left
    await pause(clock, LOOK_MS)
  }
}
