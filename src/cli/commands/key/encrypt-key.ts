import { defineCommand } from '#cli/command.ts'
import { usageFault } from '#config/faults.ts'
import { path } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { readPasswordFile } from '#config/read-password-file.ts'
import { keyFileOf, loadNodeKey, refuseOtherHolders } from '#node/key/node-key.ts'
import { kindOfPath, OWNER_ONLY, writeFileNew } from '#platform/files/files.ts'
import { encryptKey } from '#platform/keystore.ts'
import { systemRandom } from '#platform/random.ts'
import { addressFromPublicKey } from '#types/curve.ts'

const options = defineOptions('Options', {
  to: { flag: '--to', kind: path, required: true, help: 'File to make; one that is there is left alone.' },
  passwordFile: {
    flag: '--password-file',
    kind: path,
    required: true,
    help: 'File whose first line is the password.',
  },
})

export default defineCommand({
  options,
  run({ own, root, io }) {
    const settings = root()
    refuseOtherHolders(settings)
    const to = own.get(options.to)
    const file = keyFileOf(settings)
    if (kindOfPath(file) === undefined)
      throw usageFault(
        `There is no node key at ${file}. Name it with --node-private-key-file before the command.`,
      )
    const { privateKey, publicKey } = loadNodeKey(settings)
    const text = encryptKey(
      privateKey.reveal(),
      readPasswordFile(own.get(options.passwordFile)),
      systemRandom,
    )
    writeFileNew(to, text, { mode: OWNER_ONLY })
    io.out(
      `Encrypted the key of ${addressFromPublicKey(publicKey)} from ${file} to ${to}. Start the node with --node-private-key-file=${to} and --node-key-password-file, and then remove ${file}.\n`,
    )
  },
})
