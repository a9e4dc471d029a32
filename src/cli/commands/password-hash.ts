import { defineCommand } from '#cli/command.ts'
import { usageFault } from '#config/faults.ts'
import { secretText } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { hashPassword } from '#jsonrpc/auth/password-hash.ts'

const MAX_PASSWORD_INPUT_BYTES = 4096

const options = defineOptions('Options', {
  password: {
    flag: '--password',
    kind: secretText,
    help: 'The password; omit it to be prompted.',
    details:
      'Without the option the password is read from the terminal or from standard input, and stays out of the shell history.',
  },
})

export default defineCommand({
  options,
  async run({ own, io }) {
    const password =
      own.get(options.password)?.reveal() ?? (await io.readSecretLine('Password: ')) ?? inputLine()
    io.out(`${hashPassword(password)}\n`)

    function inputLine(): string {
      const input = io.readInput(MAX_PASSWORD_INPUT_BYTES)
      if (input === '') {
        throw usageFault(
          "Missing required option: '--password=<PASSWORD>', or the password on standard input.",
        )
      }
      return input.split(/\r?\n/, 1)[0]!
    }
  },
})
