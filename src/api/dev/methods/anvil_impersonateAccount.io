// an account without a key, and a contract
>> {"jsonrpc":"2.0","id":1,"method":"anvil_setBalance","params":["0x00000000000000000000000000000000000000aa","0xde0b6b3a7640000"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"anvil_setCode","params":["0x00000000000000000000000000000000000000aa","0x00"]}
<< {"jsonrpc":"2.0","id":2,"result":true}
>> {"jsonrpc":"2.0","id":3,"method":"anvil_impersonateAccount","params":["0x00000000000000000000000000000000000000aa"]}
<< {"jsonrpc":"2.0","id":3,"result":true}
>> {"jsonrpc":"2.0","id":4,"method":"eth_sendTransaction","params":[{"from":"0x00000000000000000000000000000000000000aa","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","value":"0x1"}]}
<< {"jsonrpc":"2.0","id":4,"result":"0x29217b6d85fa690c832761c3801460b08833ad82b2b58beb1ed0523c641fe62a"}
>> {"jsonrpc":"2.0","id":5,"method":"eth_getTransactionCount","params":["0x00000000000000000000000000000000000000aa","latest"]}
<< {"jsonrpc":"2.0","id":5,"result":"0x1"}
>> {"jsonrpc":"2.0","id":6,"method":"hardhat_impersonateAccount","params":["0x70997970c51812dc3a010c7d01b50e0d17dc79c8"]}
<< {"jsonrpc":"2.0","id":6,"result":true}

// not an address
>> {"jsonrpc":"2.0","id":7,"method":"anvil_impersonateAccount","params":["0x1"]}
<< {"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"Invalid address params"}}
