import { defineCommand } from '#cli/command.ts'
import { usageFault } from '#config/faults.ts'
import { path } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { readPasswordFile } from '#config/read-password-file.ts'
import { keyFileOf, loadNodeKey, refuseOtherHolders } from '#p2p/key/key-file.ts'
import { kindOfPath, OWNER_ONLY, writeFileNew } from '#platform/files/files.ts'
import { encryptKey } from '#platform/keystore.ts'
import { newPrivateKey } from '#platform/new-private-key.ts'
import { systemRandom } from '#platform/random.ts'
import { addressFromPublicKey, publicKeyFromPrivate } from '#types/curve.ts'
import { formatData } from '#types/hex.ts'

const newOptions = defineOptions('Options', {
  to: { flag: '--to', kind: path, required: true, help: 'Output file; never overwritten.' },
  passwordFile: {
    flag: '--password-file',
    kind: path,
    help: 'File whose first line is the password; omit for an unencrypted key.',
  },
})

export const newKey = defineCommand({
  options: newOptions,
  run({ own, io }) {
    const [to, passwordFile] = [own.get(newOptions.to), own.get(newOptions.passwordFile)]
    const key = newPrivateKey('secp256k1')
    const text =
      passwordFile === undefined
        ? formatData(key)
        : encryptKey(key, readPasswordFile(passwordFile), systemRandom)
    writeFileNew(to, text, { mode: OWNER_ONLY })
    io.out(`Made a key for ${addressFromPublicKey(publicKeyFromPrivate('secp256k1', key))} in ${to}.\n`)
  },
})

const encryptOptions = defineOptions('Options', {
  to: { flag: '--to', kind: path, required: true, help: 'Output file; never overwritten.' },
  passwordFile: {
    flag: '--password-file',
    kind: path,
    required: true,
    help: 'File whose first line is the password.',
  },
})

export const encryptNodeKey = defineCommand({
  options: encryptOptions,
  run({ own, root, io }) {
    const settings = root()
    refuseOtherHolders(settings)
    const to = own.get(encryptOptions.to)
    const file = keyFileOf(settings)
    if (kindOfPath(file) === undefined)
      throw usageFault(
        `There is no node key at ${file}. Name it with --node-private-key-file before the command.`,
      )
    const { privateKey, publicKey } = loadNodeKey(settings)
    const text = encryptKey(
      privateKey.reveal(),
      readPasswordFile(own.get(encryptOptions.passwordFile)),
      systemRandom,
    )
    writeFileNew(to, text, { mode: OWNER_ONLY })
    io.out(
      `Encrypted the key of ${addressFromPublicKey(publicKey)} from ${file} to ${to}. Start the node with --node-private-key-file=${to} and --node-key-password-file, and then remove ${file}.\n`,
    )
  },
})
