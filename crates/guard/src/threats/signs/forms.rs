//! The forms, as patterns over bytes without regard to Unicode: a letter that is not ASCII is written as its bytes.

use crate::Risk;

/// A form: what it is a sign of, what it is called, how sure it makes, and its pattern over the text as it is.
pub(super) type Form = (Risk, &'static str, f64, &'static str);

pub(super) const FORMS: &[Form] = &[
    // Turns and delimiters of models.
    (
        Risk::Injection,
        "fake turn",
        0.85,
        r"(?i)<\|(?:im_start|im_end|system|user|assistant|start_header_id|end_header_id|eot_id|endoftext|begin_of_text)\|>",
    ),
    (Risk::Injection, "fake turn", 0.7, r"(?i)\[/?INST\]|<</?SYS>>"),
    (
        Risk::Injection,
        "fake turn",
        0.55,
        r"(?im)^[ \t>#*-]*(?:system|developer|admin(?:istrator)?)(?: (?:message|prompt|note|override|update|notice|instruction))?[ \t*]*(?::|\])[ \t*]*(?:you|your|ignore|disregard|override|from now|new |the (?:user|assistant)|all |do |never|always|disable|enable|reveal|send|print|safety|restrictions)",
    ),
    (
        Risk::Injection,
        "fake turn",
        0.55,
        r#"(?i)</?(?:system|system_prompt|system-prompt|sys|instructions?|admin|developer|assistant|user_input|user_query|context|documents?|untrusted|data)>\s*\n?[^<\n]{0,80}\b(?:ignore|disregard|you are|you must|new instructions?|override|reveal|print|forget|system)"#,
    ),
    (
        Risk::Injection,
        "fake turn",
        0.6,
        r#"(?i)\{\s*["']role["']\s*:\s*["'](?:system|developer|assistant)["']"#,
    ),
    (
        Risk::Injection,
        "fake turn",
        0.6,
        r"(?i)[-=#*_]{3,} ?(?:end|begin|start) (?:of )?(?:the )?(?:system|prompt|user|instructions?|context|new|document|conversation|input|override|untrusted)[^\n]{0,30}[-=#*_]{3,}",
    ),
    (
        Risk::Injection,
        "fake turn",
        0.5,
        r"(?im)^(?:user|human)[ \t]*:[^\n]{1,300}\n+(?:assistant|ai|bot)[ \t]*:[ \t]*(?:sure|of course|yes|certainly|okay|absolutely|here)",
    ),
    // Data that leaves in an address.
    (
        Risk::Injection,
        "link that carries data away",
        0.9,
        r"(?i)!\[[^\]\n]{0,200}\]\(\s*<?https?://[^)\s]{1,400}[?&/=][^)\s]{0,200}(?:\{|%7b|\$|<|\[)[^)\s]{0,100}",
    ),
    (
        Risk::Injection,
        "link that carries data away",
        0.7,
        r"(?i)!\[[^\]\n]{0,200}\]\(\s*<?https?://[^)\s]{1,300}[?&](?:q|d|data|c|content|text|chat|history|secret|token|leak|exfil|payload|msg|prompt|info|p|s|key|context|summary|conversation|answer)=",
    ),
    (
        Risk::Injection,
        "link that carries data away",
        0.6,
        r#"(?i)<img[^>]{1,300}src\s*=\s*["']?https?://[^>"'\s]{1,300}[?&][a-z_]{1,20}=[^>"'\s]*(?:\{|\$|\[|<)"#,
    ),
    // Payloads.
    (
        Risk::MaliciousCode,
        "reverse shell",
        0.9,
        r"(?i)(?:ba)?sh\s+-i\s*(?:>&|&>|[0-9]?>)|/dev/(?:tcp|udp)/[a-z0-9.\-$\{]|\b(?:nc|ncat|netcat)\b[^\n]{0,60}\s-[a-z]{0,3}e[a-z]{0,2}\s+\S{0,10}(?:sh\b|cmd)|mkfifo\s+\S+[^\n]{0,80}\bnc\b",
    ),
    (
        Risk::MaliciousCode,
        "reverse shell",
        0.85,
        r"(?is)socket\.socket\(.{0,400}(?:dup2|subprocess|pty\.spawn|os\.system)|pty\.spawn\(|fsockopen\(.{0,200}(?:exec|proc_open|shell_exec)|new-object\s+(?:system\.)?net\.sockets\.tcpclient",
    ),
    (
        Risk::MaliciousCode,
        "fork bomb",
        0.9,
        r":\s*\(\s*\)\s*\{\s*:\s*\|\s*:\s*&\s*\}\s*;\s*:|(?i)\bfork\s+while\s+fork\b|while\s+(?:true|1)\s*:\s*os\.fork\(\)|%0\s*\|\s*%0",
    ),
    (
        Risk::MaliciousCode,
        "deletion of a system",
        0.85,
        r"(?i)\brm\s+(?:-[a-z]+\s+|--[a-z-]+\s+)*-[a-z]*(?:rf|fr|r\s+-f|f\s+-r)[a-z]*\s+(?:--no-preserve-root\s+)?(?:/(?:\s|\*|$|;|&|'|`|\x22)|~/?(?:\s|\*|$|;|&)|\$HOME\b|/(?:etc|usr|bin|boot|home)/?(?:\s|\*|$))|\bdd\s+if=/dev/(?:zero|u?random)\s+of=/dev/(?:sd|nvme|hd|vd|disk)|\bmkfs(?:\.\w+)?\s+(?:-\w+\s+)*/dev/(?:sd|nvme|hd|vd)",
    ),
    (
        Risk::MaliciousCode,
        "deletion of a system",
        0.8,
        r"(?i)\bformat\s+c:\s*/|\bdel\s+(?:/[fsq]\s+){2,}[a-z]:\\|\brd\s+/s\s+/q\s+[a-z]:\\|vssadmin(?:\.exe)?\s+delete\s+shadows|shutil\.rmtree\(\s*['\x22](?:/|[a-z]:\\\\?)['\x22]",
    ),
    (
        Risk::MaliciousCode,
        "SQL injection payload",
        0.75,
        r"(?i)['\x22]\s*\)?\s*(?:or|and)\s+['\x22]?[0-9a-z]{1,10}['\x22]?\s*(?:=|like)\s*['\x22]?[0-9a-z]{1,10}['\x22]?\s*(?:--|#|/\*|;|$|['\x22])|['\x22]\s*\)?;\s*(?:drop|truncate|delete|update|insert|exec|shutdown)\b[^\n]{0,80}(?:--|;|$)|['\x22]?\s*\)?\s*\bunion\s+(?:all\s+)?select\b[^\n]{1,120}(?:--|#|/\*)|['\x22]\s*\)?\s*;?\s*waitfor\s+delay|\bsleep\(\d+\)\s*(?:--|#)",
    ),
    (
        Risk::MaliciousCode,
        "hidden command",
        0.85,
        r"(?i)\bpowershell(?:\.exe)?\b[^\n]{0,120}\s-e(?:nc|ncodedcommand|c)?\s+[a-z0-9+/=]{16,}|\biex\b\s*[\(\x22']?\s*\(?\s*(?:new-object|iwr|invoke-webrequest|irm)|downloadstring\s*\(|frombase64string\([^\n]{0,200}\)[^\n]{0,100}(?:iex|invoke)|base64\s+(?:-d|--decode|-D)[^\n|]{0,80}\|\s*(?:ba|z|da)?sh\b|eval\s*\(\s*(?:base64_decode|atob|gzinflate|str_rot13)|exec\s*\(\s*(?:base64|bytes\.fromhex|codecs\.decode|__import__\(['\x22]base64)",
    ),
    (
        Risk::MaliciousCode,
        "hidden command",
        0.7,
        r"(?i)\b(?:curl|wget)\b[^\n|]{0,120}https?://(?:\d{1,3}\.){3}\d{1,3}[^\n|]{0,120}\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b|\bcertutil\b[^\n]{0,60}-urlcache|\bmshta\s+https?:|\bregsvr32\b[^\n]{0,60}/i:https?:",
    ),
    (
        Risk::MaliciousCode,
        "script that steals",
        0.85,
        r"(?is)<script\b[^>]{0,200}>.{0,600}(?:document\.cookie|localstorage|sessionstorage).{0,400}(?:fetch|location|\.src|xmlhttprequest|sendbeacon|https?:)|<script\b[^>]{0,200}>.{0,400}(?:fetch|location|\.src|sendbeacon|https?:).{0,200}(?:document\.cookie|localstorage)",
    ),
    (
        Risk::MaliciousCode,
        "script that steals",
        0.75,
        r"(?i)\bon(?:error|load|click|mouseover|focus)\s*=\s*['\x22]?[^>\n]{0,120}(?:document\.cookie|fetch\(|eval\(|alert\(|location\s*=)|javascript:\s*(?:[^\s'\x22]{0,60}document\.cookie|eval\(|alert\()|<script>\s*alert\(",
    ),
    (
        Risk::MaliciousCode,
        "exploit payload",
        0.85,
        r"(?i)\$\{(?:jndi|\$\{[^}]{0,20}\}ndi|\$\{lower:j\})[^}]{0,80}:|<!ENTITY\s+\S+\s+SYSTEM\s+['\x22](?:file|https?|php|expect):|\bsystem\s*\(\s*\$_(?:GET|POST|REQUEST)|\beval\s*\(\s*\$_(?:GET|POST|REQUEST)|\(\)\s*\{\s*:;\s*\}\s*;|\{\{[^}]{0,80}__(?:class|globals|import|subclasses|mro)__",
    ),
    (
        Risk::MaliciousCode,
        "exploit payload",
        0.6,
        r"(?i)(?:\.\./){3,}(?:etc/(?:passwd|shadow)|windows/)|(?:\.\.\\){3,}|\binvoke-mimikatz\b|sekurlsa::|\blsadump::|\bmsfvenom\b[^\n]{0,80}-p\s|;\s*cat\s+/etc/(?:passwd|shadow)\b|\|\s*cat\s+/etc/(?:passwd|shadow)\b",
    ),
];

/// What is a sign only in retrieved text.
pub(super) const PASSAGE: &[Form] = &[
    (
        Risk::Injection,
        "hidden text",
        0.6,
        r"(?is)<!--.{0,1500}?(?:\bAI\b|assistant|\bLLM\b|language model|chatbot|instruction|prompt|ignore|\bsystem\b|summar).{0,1500}?-->",
    ),
    (
        Risk::Injection,
        "hidden text",
        0.6,
        r#"(?is)<[a-z]+[^>]{0,200}(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0|color\s*:\s*(?:white|#fff(?:fff)?))[^>]{0,200}>[^<]{0,800}(?:\bAI\b|assistant|instruction|ignore|prompt|must|system)[^<]{0,800}"#,
    ),
    (
        Risk::Injection,
        "hidden text",
        0.6,
        r#"(?i)\b(?:alt|title|aria-label|content|placeholder)\s*=\s*["'][^"'\n]{0,200}(?:\bAI\b|\bKI\b|\bIA\b|assistant|asistente|language model|instruction|ignore|disregard|override)[^"'\n]{0,200}["']"#,
    ),
    (
        Risk::Injection,
        "hidden text",
        0.6,
        r#"(?i)\]\([^)\n]{1,200}["'][^"'\n]{0,200}(?:\bAI\b|assistant|instruction|ignore|disregard|override)[^"'\n]{0,200}["']\)"#,
    ),
    (
        Risk::Injection,
        "hidden text",
        0.6,
        r#"(?i)<[a-z]+[^>]{0,120}(?:left|top|text-indent)\s*:\s*-[0-9]{3,}[^>]{0,120}>[^<]{0,800}|<noscript>[^<]{0,300}(?:\bAI\b|model|assistant|ignore|answer)[^<]{0,300}"#,
    ),
    (
        Risk::Injection,
        "fake turn",
        0.55,
        r"(?i)<(?:system|tool_result|tool_call|function_results?|function_calls?|assistant|developer)(?: [^>\n]{0,80})?>",
    ),
    (
        Risk::Injection,
        "fake turn",
        0.6,
        r"(?is)(?:^|\n)#{2,4} ?(?:instructions?|human|user)[ \t]*:?[ \t\r]*\n.{0,400}?\n#{2,4} ?(?:response|assistant|answer)[ \t]*:?[ \t\r]*(?:\n|$)",
    ),
    (
        Risk::Injection,
        "fake turn",
        0.55,
        r"(?i)={3,} ?(?:ende? (?:of|des|der)|fin (?:de|del|du)|fine (?:del|della)|fim do|einde van)[^=\n]{1,40}={3,}",
    ),
    (
        Risk::Injection,
        "fake turn",
        0.55,
        r"(?im)^[ \t>#*-]*system[ \t*]*:[ \t*]*(?:antworte|gib|ignoriere|r\xc3\xa9ponds|ignore|responde|ignora|rispondi|antwoord|negeer|output|answer|say)",
    ),
    (
        Risk::Injection,
        "fake turn",
        0.75,
        r"(?im)^[ \t>#*\[<-]*(?:system|assistant|developer|ai|ai assistant|user|human|llm|chatgpt|claude|gemini|copilot|tool|function)[ \t]*(?:message|prompt|note|override|instruction|instructions|output|result)?[\])>]?[ \t*]*:[ \t*]*(?:please |now |you |your |ignore|disregard|forget|send|reply|answer|respond|say|tell|do |don't|output|print|write|summari|translate|call|use|always|never|include|add|mention|state|recommend|visit|open|click|forward|email|delete|from now|new |the (?:user|following|correct|answer)|all |sure|reveal|override|repeat|cite|ok)",
    ),
    (
        Risk::Injection,
        "link that carries data away",
        0.6,
        r#"(?i)https?://[^\s"'<>)]{1,200}[?&][a-z_]{1,20}=(?-i:[A-Z]{4,}|\{|\[|<|%7B)"#,
    ),
    (
        Risk::Injection,
        "address to the assistant",
        0.6,
        r#"(?i)(?:^|[\n|>"'(\[.!?:]\s*|[-*#] )(?:dear |hey |hello |attention,? |urgent for |for |note (?:to|for) |hinweis an |an |nota para |para |pour |per |voor )?(?:any |all |the |die |der |el |la |l'|de |o )?(?:AI|A\.I\.|KI|IA|assistants?|asistentes?|assistente?s?|assistenten|llms?|language models?|sprachmodelle?|chatbots?|chatgpt|claude|gemini|copilot|dear model|voice assistants?|\xd0\xb0\xd1\x81\xd1\x81\xd0\xb8\xd1\x81\xd1\x82\xd0\xb5\xd0\xbd\xd1\x82)(?:[ -](?:assistants?|models?|agents?|readers?|systems?|assistent|mit zugriff[^:\n]{0,30}))?\s?[,:][^\n|<]{0,60}?\b(?:answer|say|write|output|reply|respond|ignore|disregard|insert|tell|cite|quote|execute|call|run|search|open|visit|use|copy|report|confirm|append|add|send|recommend|state|mention|think of|remember|step|leave|hand|f\xc3\xbchre|h\xc3\xa4nge|antworte|schreibe?|gib|sage?|nenne|zitiere|\xc3\xa9cris|r\xc3\xa9ponds|dis|ex\xc3\xa9cute|cite|di|dile|escribe|ejecuta|responde|scrivi|rispondi|esegui|escreva|diga|schrijf|zeg|voer)\b"#,
    ),
    (
        Risk::Injection,
        "instructions in pieces",
        0.5,
        r"(?i)\b(?:part|step|half|fragment|teil|schritt|anweisung|parte|mitad|moiti\xc3\xa9|deel|instrucci\xc3\xb3n|istruzione|instruction)\b[^:\n.]{0,24}:\s*(?:and |et |e |y |und |en )?(?:answer|say|reply|respond|output|antworte|schreib|sag|gib|\xc3\xa9cris|r\xc3\xa9ponds|dis|escribe|di|responde|scrivi|rispondi|zeg|schrijf|instruct)",
    ),
];
