// the one of the first block
>> {"jsonrpc":"2.0","id":1,"method":"debug_getRawTransaction","params":["0x3219f946c908fe01477853aae31359b7f94395e19d84853192338d53651be83c"]}
<< {"jsonrpc":"2.0","id":1,"result":"0xf866808477359400830186a09422222222222222222222222222222222222222220580820a95a0696cc24be09a223a2900995e9a3179476463cceea3466c8d4f27e1fc89afb672a0450102856f744a96b2000d5f033c61a093b208fb18d52832d6a7b0bfcc4db77c"}
// not known
>> {"jsonrpc":"2.0","id":2,"method":"debug_getRawTransaction","params":["0x1212121212121212121212121212121212121212121212121212121212121212"]}
<< {"jsonrpc":"2.0","id":2,"result":null}
// without 0x, and without a hash
>> {"jsonrpc":"2.0","id":3,"method":"debug_getRawTransaction","params":["1212121212121212121212121212121212121212121212121212121212121212"]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Invalid transaction hash params"}}
>> {"jsonrpc":"2.0","id":4,"method":"debug_getRawTransaction","params":[]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Invalid transaction hash params"}}
