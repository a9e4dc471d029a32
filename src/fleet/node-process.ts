/**
 * A node's process. It is detached, so it outlives the process that started it, and is found again by its database and
 * its pid file.
 */
import { spawn } from 'node:child_process'
import { closeSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { withoutOptions } from '#config/sources.ts'
import { type Clock, pause, systemClock } from '#platform/clock.ts'
import { kindOfPath, readTextBounded, writeFileAtomic } from '#platform/files/files.ts'
import { lockHolder } from '#platform/machine.ts'
import { commandWords, identityText, isAlive, readIdentity } from '#platform/process/process-identity.ts'
import { ClaimFile } from './claim-file.ts'
import { databaseLockOf, type FleetNode } from './network-directory.ts'
import { refusal } from './plan-network.ts'

/** A larger log is renamed when its node starts; one old log is kept. */
const MAX_LOG_BYTES = 64 * 1024 * 1024
const MAX_PATH_BYTES = 4096
const LOOK_MS = 100
/** A node finishes its answers and closes its database. */
export const STOP_MS = 60_000

/** The process that runs a node or is about to; undefined if there is none. */
export function pidOf(node: FleetNode): number | undefined {
  return pidsOf(node)[0]
}

/**
 * All processes of a node: the one with its database open, which may have been started by hand, and the one started here,
 * which may not have opened it yet.
 */
export function pidsOf(node: FleetNode): readonly number[] {
  const started = readIdentity(node.pidFile)
  const isStarted =
    started !== undefined &&
    isAlive(started, (words) => words.includes(argumentOf(node))) &&
    (commandWords(started.pid)?.includes(argumentOf(node)) ?? false)
  const pids = [lockHolder(databaseLockOf(node)), isStarted ? started.pid : undefined]
  return [...new Set(pids.filter((pid) => pid !== undefined))]
}

function argumentOf({ configFile }: FleetNode): string {
  return `--config-file=${configFile}`
}

/** Sets the program that this node runs from its next start on. */
export function setProgram(node: FleetNode, program: string): void {
  writeFileAtomic(node.programFile, program)
}

/** This program, unless the node was upgraded to another. */
export function programOf({ programFile }: FleetNode): string {
  return kindOfPath(programFile) === undefined
    ? process.argv[1]!
    : readTextBounded(programFile, MAX_PATH_BYTES).trim()
}

/**
 * On a machine with much memory V8 lets the main thread's young generation grow to 128 MB and never shrinks it. 16 MB for
 * each half are enough for a node; the units in `deploy` set the same.
 */
export const NODE_FLAGS: readonly string[] = ['--max-semi-space-size=16']

/** Returns false if it is already running or another command is starting it: two programs with one key would equivocate. */
export function startProcess(node: FleetNode): boolean {
  const claim = new ClaimFile(node.startingFile)
  if (!claim.claim()) return false
  try {
    if (pidOf(node) !== undefined) return false
    spawnProcess(node)
    return true
  } finally {
    claim.release()
  }
}

/** The child continues when this process ends. */
function spawnProcess(node: FleetNode): void {
  const program = programOf(node)
  putAside(node.logFile)
  const log = openSync(node.logFile, 'a')
  try {
    const child = spawn(process.execPath, [...NODE_FLAGS, program, argumentOf(node)], {
      cwd: node.directory,
      // An option in the operator's shell, such as a port, would apply to every node.
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
    writeFileAtomic(node.pidFile, identityText(child.pid))
  } finally {
    closeSync(log)
  }
}

function putAside(file: string): void {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (stat !== undefined && stat.size > MAX_LOG_BYTES) renameSync(file, `${file}.1`)
}

/** Records the operator's wish for the supervisor before the node ends. */
export function wantStopped(node: FleetNode): void {
  writeFileAtomic(node.stoppedFile, '')
}

export function wantRunning(node: FleetNode): void {
  rmSync(node.stoppedFile, { force: true })
}

export function signalProcess(node: FleetNode, signal: 'SIGTERM' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
  for (const pid of pidsOf(node)) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EPERM') {
        throw refusal(`${node.name} runs as process ${pid} of another user; stop it as that user.`)
      }
      if (code !== 'ESRCH') throw error
    }
  }
}

/** Resolves with the nodes that are still running at the time limit. */
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

/** Resolves when the nodes have ended; throws if one does not. */
export async function stopNodes(nodes: readonly FleetNode[]): Promise<void> {
  for (const node of nodes) signalProcess(node, 'SIGTERM')
  const left = await untilEnded(nodes)
  if (left.length === 0) return
  const names = left.map(({ name }) => name).join(', ')
  throw refusal(`${names} did not stop in time; 'cairn network kill <node>' ends a node at once.`)
}
