import { type CommandContext, defineCommand } from '#cli/command.ts'
import { usageFault } from '#config/faults.ts'
import { path, text } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import type { Settings } from '#config/settings.ts'
import { oneHolderOfTheKey } from '#node/validate-options.ts'
import { LOCAL_FILE, loadNodeKey } from '#p2p/key/key-file.ts'
import { keyOptions } from '#p2p/options.ts'
import { readSignerConfig, trySignerOf } from '#p2p/signer/start-signer.ts'
import { systemClock } from '#platform/clock.ts'
import { writeFileAtomic } from '#platform/files/files.ts'
import { addressFromPublicKey, CURVE_NAMES, type CurveName } from '#types/curve.ts'
import { formatData } from '#types/hex.ts'

const publicKeyOptions = defineOptions('Options', {
  file: {
    flag: '--node-private-key-file',
    kind: path,
    help: "File with the node's private key.",
    defaultText: '<data path>/key, created if it is missing and there is no chain',
  },
  to: { flag: '--to', kind: path, help: 'File to write.', defaultText: 'standard output' },
  curve: {
    flag: '--ec-curve',
    kind: text,
    label: 'NAME',
    default: 'secp256k1',
    help: 'secp256k1 or secp256r1.',
  },
})

/** Loads the key that the options name and writes its public part as `present` formats it. */
async function exportKey(
  { own, root, io }: CommandContext,
  present: (publicKey: Uint8Array) => string,
): Promise<void> {
  const curve = own.get(publicKeyOptions.curve)
  if (!isCurveName(curve)) {
    throw usageFault(`${curve} is not in the list of valid elliptic curves [${CURVE_NAMES.join(', ')}]`)
  }
  const publicKey = await publicKeyOf(root(), curve, own.get(publicKeyOptions.file), io)
  const to = own.get(publicKeyOptions.to)
  if (to === undefined) io.out(`${present(publicKey)}\n`)
  else writeFileAtomic(to, present(publicKey))
}

async function publicKeyOf(
  settings: Settings,
  curve: CurveName,
  file: string | undefined,
  io: CommandContext['io'],
): Promise<Uint8Array> {
  const signer = file === undefined ? readSignerConfig(settings) : undefined
  if (signer !== undefined) {
    const conflict = oneHolderOfTheKey(settings)
    if (conflict !== undefined) throw usageFault(conflict)
    if (curve !== 'secp256k1') throw usageFault(`A signer has a key of secp256k1, not of ${curve}.`)
    return (await trySignerOf(signer, systemClock)).publicKey
  }
  const module = settings.get(keyOptions.securityModule)
  if (module !== LOCAL_FILE && file === undefined) {
    throw usageFault(
      `The plugin ${module} (--security-module) holds the key of this node. Ask the plugin for its public key, or name a key file with --node-private-key-file.`,
    )
  }
  const key = loadNodeKey(settings, curve, file)
  if (key.created) io.err(`A new ${curve} key was made and saved in ${key.file}.\n`)
  return key.publicKey
}

function isCurveName(name: string): name is CurveName {
  return (CURVE_NAMES as readonly string[]).includes(name)
}

export const exportPublicKey = defineCommand({
  options: publicKeyOptions,
  run: (context) => exportKey(context, formatData),
})

export const exportAddress = defineCommand({
  options: publicKeyOptions,
  run: (context) => exportKey(context, addressFromPublicKey),
})
