// a contract that returns slot 0
>> {"jsonrpc":"2.0","id":1,"method":"anvil_setCode","params":["0x00000000000000000000000000000000000000aa","0x5f545f5260205ff3"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"anvil_setStorageAt","params":["0x00000000000000000000000000000000000000aa","0x0","0x2a"]}
<< {"jsonrpc":"2.0","id":2,"result":true}
>> {"jsonrpc":"2.0","id":3,"method":"eth_call","params":[{"to":"0x00000000000000000000000000000000000000aa"},"latest"]}
<< {"jsonrpc":"2.0","id":3,"result":"0x000000000000000000000000000000000000000000000000000000000000002a"}

// without a block
>> {"jsonrpc":"2.0","id":5,"method":"eth_call","params":[{"to":"0x00000000000000000000000000000000000000aa"}]}
<< {"jsonrpc":"2.0","id":5,"result":"0x000000000000000000000000000000000000000000000000000000000000002a"}

// a block that does not exist
>> {"jsonrpc":"2.0","id":4,"method":"eth_call","params":[{"to":"0x00000000000000000000000000000000000000aa"},"0x99"]}
<< {"jsonrpc":"2.0","id":4,"result":null}
