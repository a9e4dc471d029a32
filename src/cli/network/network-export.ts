import { chownSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { defineCommand } from '#cli/command.ts'
import { oneOf, path, text } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { type ContainerUser, exportCompose } from '#fleet/export/compose.ts'
import {
  type ExportedNode,
  type ExportedService,
  isEnabled,
  isExposed,
  readNodes,
  SERVICES,
} from '#fleet/export/exported-node.ts'
import { exportHelm } from '#fleet/export/helm.ts'
import { exportSystemd, shellWord } from '#fleet/export/systemd.ts'
import { type FleetNode, isRemoved, nodesOf } from '#fleet/network-directory.ts'
import type { NewFile } from '#fleet/new-network.ts'
import { refusal } from '#fleet/plan-network.ts'
import { writeNewFiles } from '#fleet/write-new-files.ts'
import { ALL_OPTIONS } from '#node/all-options.ts'
import { packageVersion } from '#node/version.ts'
import { isMissingOrEmpty } from '#platform/files/files.ts'
import { networkOptions } from './network-options.ts'

/** The user of the image by default. */
const IMAGE_USER = 10_001
const HOMES = /^\/(home|root)\//
const SECRET_LABEL = 'PASSWORD'
const TARGETS = ['systemd', 'compose', 'helm'] as const
type Target = (typeof TARGETS)[number]

const options = {
  ...networkOptions,
  ...defineOptions('Options', {
    to: {
      flag: '--to',
      kind: oneOf(TARGETS),
      label: 'TARGET',
      required: true,
      help: 'systemd, compose or helm.',
    },
    output: {
      flag: '--output',
      kind: path,
      label: 'DIRECTORY',
      help: 'Directory to write to, new or empty.',
      defaultText: 'export-<target>',
    },
    image: {
      flag: '--image',
      kind: text,
      label: 'IMAGE',
      help: 'Container image with tag, built from deploy/Dockerfile.',
      defaultText: 'cairn-node:<version>',
    },
    program: {
      flag: '--program',
      kind: path,
      label: 'PROGRAM',
      help: 'Program for systemd, readable for the user cairn.',
      defaultText: 'this one',
    },
  }),
}

const NEXT: Readonly<Record<Target, (output: string) => string>> = {
  systemd: (output) =>
    `Stop the network by 'cairn network down', and run 'sudo sh ${shellWord(`${output}/install.sh`)}'.`,
  compose: (output) =>
    `Build the image from deploy/Dockerfile, and run 'docker compose --file ${shellWord(`${output}/compose.yaml`)} up --detach'.`,
  helm: (output) =>
    `Run 'kubectl apply --filename ${shellWord(`${output}/secrets.yaml`)}', and 'helm install NAME deploy/helm/cairn --values ${shellWord(`${output}/values.yaml`)}'.`,
}

export default defineCommand({
  options,
  async run({ own, io }) {
    const to = own.get(options.to)
    const output = own.get(options.output) ?? `export-${to}`
    if (!isMissingOrEmpty(output)) throw refusal(`${output} is not empty; --output names another place.`)
    const nodes = readNodes(own.get(options.directory), isPlain)
    const image = own.get(options.image) ?? `cairn-node:${packageVersion()}`
    const named = own.get(options.program)
    const program = named === undefined ? [process.execPath, process.argv[1]!] : [resolve(named)]
    const files = filesOf(to, nodes, image, program)
    writeNewFiles(files, output)
    if (to === 'compose' && process.getuid?.() === 0) giveAway(files, output)
    const warning =
      to === 'systemd' && program.some((word) => HOMES.test(word))
        ? `${program.join(' ')} is in a home directory, which the unit hides: name another by --program. `
        : ''
    const removed = nodesOf(own.get(options.directory)).filter(isRemoved)
    if (removed.length > 0) io.err(`${leftOut(removed, to)}\n`)
    if (to === 'helm') for (const sentence of unexposed(nodes)) io.err(`${sentence}\n`)
    io.err(`${files.length} files are in ${output}. ${warning}${NEXT[to](output)}\n`)
  },
})

function filesOf(
  to: Target,
  nodes: readonly ExportedNode[],
  image: string,
  program: readonly string[],
): readonly NewFile[] {
  switch (to) {
    case 'systemd':
      return exportSystemd(nodes, program)
    case 'compose':
      return exportCompose(nodes, image, containerUser())
    case 'helm':
      return exportHelm(nodes, image)
  }
}

function leftOut(removed: readonly FleetNode[], to: Target): string {
  const names = removed.map(({ name }) => name).join(', ')
  const sentence = `${names} ${removed.length === 1 ? 'was' : 'were'} voted out and ${removed.length === 1 ? 'is' : 'are'} not exported.`
  if (to === 'systemd') return sentence
  return `${sentence} A new chain uses the validators of the genesis file: to keep the vote, copy the data of each node too.`
}

/** Plugins have their own options, which may be passwords. */
function isPlain(option: string): boolean {
  const known = ALL_OPTIONS.find(({ flag, aliases }) => [flag, ...aliases].includes(`--${option}`))
  return known !== undefined && known.kind.label !== SECRET_LABEL
}

/** A cluster is more than one machine, so the operator decides which services it may reach. */
function* unexposed(nodes: readonly ExportedNode[]): Generator<string> {
  for (const service of Object.keys(SERVICES) as ExportedService[]) {
    const names = nodes
      .filter((node) => isEnabled(node.config, service) && !isExposed(node, service))
      .map(({ name }) => name)
    if (names.length === 0) continue
    yield `${SERVICES[service]} of ${names.join(', ')} listens on the loopback of its pod, as it does here: reach it by 'kubectl port-forward', or set ${SERVICES[service]}-host before the export.`
  }
}

/** The files belong to the exporting user, and the containers' user must be able to read them. Root need not run them. */
function containerUser(): ContainerUser {
  const uid = process.getuid?.() ?? 0
  return uid === 0 ? { uid: IMAGE_USER, gid: IMAGE_USER } : { uid, gid: process.getgid?.() ?? uid }
}

function giveAway(files: readonly NewFile[], output: string): void {
  const places = new Set(files.flatMap(({ path }) => [path, dirname(path)]))
  places.delete('.')
  places.delete('compose.yaml')
  for (const place of places) chownSync(join(output, place), IMAGE_USER, IMAGE_USER)
}
