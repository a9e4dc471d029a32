import { chownSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { defineCommand } from '#cli/command.ts'
import { oneOf, path, text } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { type ContainerUser, exportCompose } from '#fleet/export/compose.ts'
import { type ExportedNode, readNodes } from '#fleet/export/exported-node.ts'
import { exportHelm } from '#fleet/export/helm.ts'
import { exportSystemd } from '#fleet/export/systemd.ts'
import type { NewFile } from '#fleet/new-network.ts'
import { refusal } from '#fleet/plan-network.ts'
import { writeNewFiles } from '#fleet/write-new-files.ts'
import { packageVersion } from '#node/version.ts'
import { isMissingOrEmpty } from '#platform/files/files.ts'
import { networkOptions } from './network-options.ts'

/** Who runs in the image, if nobody else is named. */
const IMAGE_USER = 10_001
const HOMES = /^\/(home|root)\/|\s\/(home|root)\//
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
      help: 'The image that containers run, with its tag; made from deploy/Dockerfile.',
      defaultText: 'cairn-node:<version>',
    },
    program: {
      flag: '--program',
      kind: path,
      label: 'PROGRAM',
      help: 'With systemd, the program that nodes run, where the user cairn can read it.',
      defaultText: 'this one',
    },
  }),
}

const NEXT: Readonly<Record<Target, (output: string) => string>> = {
  systemd: (output) => `Stop the network by 'cairn network down', and run 'sudo sh ${output}/install.sh'.`,
  compose: (output) =>
    `Build the image from deploy/Dockerfile, and run 'docker compose --file ${output}/compose.yaml up --detach'.`,
  helm: (output) =>
    `Run 'kubectl apply --filename ${output}/secrets.yaml', and 'helm install NAME deploy/helm/cairn --values ${output}/values.yaml'.`,
}

export default defineCommand({
  options,
  async run({ own, io }) {
    const to = own.get(options.to)
    const output = own.get(options.output) ?? `export-${to}`
    if (!isMissingOrEmpty(output)) throw refusal(`${output} is not empty; --output names another place.`)
    const nodes = readNodes(own.get(options.directory))
    const image = own.get(options.image) ?? `cairn-node:${packageVersion()}`
    const named = own.get(options.program)
    const program = named === undefined ? thisProgram() : resolve(named)
    const files = filesOf(to, nodes, image, program)
    writeNewFiles(files, output)
    if (to === 'compose' && process.getuid?.() === 0) giveAway(files, output)
    const warning =
      to === 'systemd' && HOMES.test(program)
        ? `${program} is in a home directory, which the unit hides: name another by --program. `
        : ''
    io.err(`${files.length} files are in ${output}. ${warning}${NEXT[to](output)}\n`)
  },
})

function filesOf(
  to: Target,
  nodes: readonly ExportedNode[],
  image: string,
  program: string,
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

function thisProgram(): string {
  return `${process.execPath} ${process.argv[1]}`
}

/** The files are the exporter's, and whoever runs the containers has to read them; root need not. */
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
