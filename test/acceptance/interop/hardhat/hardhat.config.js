import hardhatEthers from '@nomicfoundation/hardhat-ethers'

const { NODE_URL, NODE_KEY, NODE_TOKEN } = process.env

export default {
  plugins: [hardhatEthers],
  networks: {
    cairn: {
      type: 'http',
      url: NODE_URL,
      accounts: [NODE_KEY],
      httpHeaders: NODE_TOKEN === undefined ? {} : { Authorization: NODE_TOKEN },
    },
  },
}
