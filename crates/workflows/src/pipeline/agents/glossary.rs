//! What else a thing is called: in English code when it was asked for in another language, and by
//! programmers when the word of the question is not the one in the code.
//!
//! General words of the trade only; nothing of any one project.

/// Words of other languages, by prefix in lower case, and what code calls them.
const FOREIGN: &[(&str, &str)] = &[
    ("anmeld", "login authentication"),
    ("einlogg", "login"),
    ("abmeld", "logout"),
    ("authentifi", "authentication"),
    ("autentic", "authentication"),
    ("autentifi", "authentication"),
    ("benutz", "user"),
    ("nutzer", "user"),
    ("utilis", "user"),
    ("usuari", "user"),
    ("usuár", "user"),
    ("utent", "user"),
    ("passwor", "password"),
    ("gehash", "hash"),
    ("hasht", "hash"),
    ("kennwor", "password"),
    ("contraseñ", "password"),
    ("senha", "password"),
    ("berechtig", "permission"),
    ("droit", "permission"),
    ("permis", "permission"),
    ("sitzung", "session"),
    ("sesi", "session"),
    ("sessã", "session"),
    ("sessõ", "session"),
    ("sessione", "session"),
    ("schlüssel", "key"),
    ("clé", "key"),
    ("clave", "key"),
    ("chiave", "key"),
    ("chave", "key"),
    ("verbind", "connection"),
    ("connexion", "connection login"),
    ("conexi", "connection"),
    ("conexã", "connection"),
    ("connession", "connection"),
    ("datenbank", "database"),
    ("base de donn", "database"),
    ("datei", "file"),
    ("fichier", "file"),
    ("archivo", "file"),
    ("fichero", "file"),
    ("arquivo", "file"),
    ("ordner", "folder directory"),
    ("dossier", "folder directory"),
    ("carpeta", "folder directory"),
    ("fehler", "error"),
    ("erreur", "error"),
    ("errore", "error"),
    ("errori", "error"),
    ("erro", "error"),
    ("ausnahm", "exception"),
    ("anfrag", "request"),
    ("requête", "request query"),
    ("solicitud", "request"),
    ("petici", "request"),
    ("richiest", "request"),
    ("requisi", "request"),
    ("pedido", "request"),
    ("antwort", "response"),
    ("réponse", "response"),
    ("respuest", "response"),
    ("rispost", "response"),
    ("respost", "response"),
    ("einstellung", "settings config"),
    ("paramètre", "settings parameter"),
    ("ajuste", "settings"),
    ("impostazion", "settings"),
    ("konfigur", "config"),
    ("configur", "config"),
    ("zwischenspeicher", "cache"),
    ("warteschlang", "queue"),
    ("umleit", "redirect"),
    ("weiterleit", "redirect forward"),
    ("rediri", "redirect"),
    ("reindiri", "redirect"),
    ("wiederhol", "retry repeat"),
    ("reintent", "retry"),
    ("réessa", "retry"),
    ("überprüf", "check validate"),
    ("prüf", "check validate"),
    ("geprüft", "check validate"),
    ("vérif", "verify check"),
    ("verific", "verify check"),
    ("valid", "validate"),
    ("verschlüssel", "encrypt"),
    ("chiffr", "encrypt"),
    ("cifr", "encrypt"),
    ("entschlüssel", "decrypt"),
    ("komprim", "compress"),
    ("comprim", "compress"),
    ("compresi", "compression"),
    ("speicher", "store save memory"),
    ("enregistr", "save register"),
    ("guard", "save store"),
    ("lösch", "delete remove"),
    ("supprim", "delete remove"),
    ("elimin", "delete remove"),
    ("borr", "delete"),
    ("erstell", "create"),
    ("cré", "create"),
    ("crea", "create"),
    ("cria", "create"),
    ("lies", "read"),
    ("gelesen", "read"),
    ("lire", "read"),
    ("leer", "read"),
    ("legg", "read"),
    ("schreib", "write"),
    ("écri", "write"),
    ("escrib", "write"),
    ("escrev", "write"),
    ("scriv", "write"),
    ("such", "search find"),
    ("recherch", "search"),
    ("busca", "search find"),
    ("cerca", "search find"),
    ("nachricht", "message"),
    ("messag", "message"),
    ("mensaje", "message"),
    ("mensage", "message"),
    ("messaggi", "message"),
    ("vorlage", "template"),
    ("modèle", "model template"),
    ("plantilla", "template"),
    ("modello", "model"),
    ("modelo", "model"),
    ("befehl", "command"),
    ("commande", "command order"),
    ("comando", "command"),
    ("klasse", "class"),
    ("classe", "class"),
    ("clase", "class"),
    ("funktion", "function"),
    ("fonction", "function"),
    ("funci", "function"),
    ("funzion", "function"),
    ("funç", "function"),
    ("method", "method"),
    ("méthode", "method"),
    ("método", "method"),
    ("metodo", "method"),
    ("schnittstell", "interface api"),
    ("transaktion", "transaction"),
    ("transacci", "transaction"),
    ("transaç", "transaction"),
    ("zeitüberschreit", "timeout"),
    ("délai", "timeout delay"),
    ("resuel", "resolve"),
    ("resolv", "resolve"),
    ("auflös", "resolve"),
    ("résou", "resolve"),
    ("risolv", "resolve"),
    ("nombre", "name"),
    ("nome", "name"),
    ("nom", "name"),
    ("prox", "proxy"),
    ("wurzel", "root"),
    ("baum", "tree"),
    ("liste", "list"),
    ("lista", "list"),
    ("wert", "value"),
    ("valeur", "value"),
    ("valor", "value"),
    ("valore", "value"),
    ("ereignis", "event"),
    ("événement", "event"),
    ("evento", "event"),
    ("protokoll", "log protocol"),
    ("journal", "log journal"),
    ("registro", "log register"),
    ("sprache", "language"),
    ("langue", "language locale"),
    ("idioma", "language locale"),
    ("lingua", "language locale"),
    ("feld", "field"),
    ("champ", "field"),
    ("campo", "field"),
    ("spalte", "column"),
    ("automati", "auto automatic"),
    ("stock", "store storage"),
    ("almacen", "store storage"),
    ("armazen", "store storage"),
    ("salva", "save"),
    ("abfrag", "query"),
    ("consulta", "query"),
    ("ausgab", "output"),
    ("eingab", "input"),
    ("server", "server"),
    ("serveur", "server"),
    ("servidor", "server"),
    ("lade", "load"),
    ("charg", "load"),
    ("carga", "load"),
    ("carica", "load"),
    ("sende", "send"),
    ("envoy", "send"),
    ("envia", "send"),
    ("invia", "send"),
    ("empfang", "receive"),
    ("starte", "start"),
    ("beend", "stop close"),
    ("ändern", "change update"),
    ("geändert", "change"),
    ("verwalt", "handle"),
    ("gère", "handle"),
    ("gestion", "handle"),
    ("gestit", "handle"),
    ("gestisc", "handle"),
    ("zugriff", "access"),
    ("accès", "access"),
    ("acceso", "access"),
    ("accesso", "access"),
    ("acesso", "access"),
    ("test", "test"),
    ("seite", "page"),
    ("página", "page"),
    ("pagina", "page"),
    ("formular", "form"),
    ("formulaire", "form"),
    ("formulario", "form"),
];

/// Words that stand for nearly the same thing in code. The first of a group is its usual name.
const GROUPS: &[&str] = &[
    "auth authentication authenticate authenticator login signin credential password",
    "authorization authorize permission access role grant acl",
    "login signin authenticate log_in",
    "logout signout sign_out",
    "token jwt bearer",
    "user account principal",
    "config configuration settings options preferences",
    "error exception failure fault panic",
    "delete remove drop erase destroy",
    "create make build new construct add",
    "fetch get load read retrieve",
    "save store persist write",
    "send dispatch emit publish transmit",
    "receive consume subscribe listen",
    "check validate verify ensure assert",
    "parse decode deserialize unmarshal",
    "serialize encode dump marshal format",
    "encrypt cipher seal crypto",
    "decrypt decipher unseal",
    "compress deflate gzip zip",
    "decompress inflate gunzip decoder decode",
    "retry retries backoff attempt",
    "timeout deadline expire expiry",
    "expire expiry expiration timeout ttl age",
    "cache memoize lru",
    "connect connection open dial handshake",
    "close shutdown disconnect stop",
    "start begin boot init launch",
    "request req query call",
    "response reply answer",
    "route router url path endpoint",
    "handler controller view",
    "database db storage sql",
    "migrate migration upgrade schema",
    "queue job task worker",
    "schedule cron timer",
    "log logger logging trace",
    "test spec assert",
    "render template view",
    "upload multipart attachment",
    "redirect location follow",
    "proxy forward tunnel",
    "resolve lookup dns",
    "session cookie",
    "header headers metadata",
    "folder directory dir",
    "locale language translation i18n",
    "environment env",
    "pool pooling",
    "lock mutex semaphore",
    "hash digest checksum",
    "compile build parse",
    "list iterate enumerate",
    "limit throttle quota budget",
    "select choose pick decide",
    "split chunk divide partition slice",
    "recover resume restore reconnect",
    "reload refresh watch",
    "update change modify patch",
    "field column property attribute",
    "convert transform translate map",
    "merge combine join",
    "sort order rank",
    "filter match where",
    "copy clone duplicate",
];

/// What code calls a word of another language. Nothing if the word is not known.
pub(super) fn english(word: &str, language: &str) -> Vec<&'static str> {
    if language == "en" {
        return Vec::new();
    }
    let word = word.to_lowercase();
    let longest = FOREIGN
        .iter()
        .filter(|(prefix, _)| word.starts_with(prefix) || compound(&word, prefix, language))
        .max_by_key(|(prefix, _)| prefix.len());
    longest.map(|(_, names)| names.split(' ').collect()).unwrap_or_default()
}

/// German joins words: `Benutzeranmeldung` ends with a word that is known.
fn compound(word: &str, prefix: &str, language: &str) -> bool {
    language == "de" && prefix.len() >= 6 && word.find(prefix).is_some_and(|at| at >= 4)
}

/// Other names of an English word, nearest first.
pub(super) fn synonyms(word: &str) -> Vec<&'static str> {
    let stem = super::words::stem(word);
    let mut found: Vec<&'static str> = Vec::new();
    for group in GROUPS {
        let mut names = group.split(' ');
        if !names.any(|name| name == word || super::words::stem(name) == stem) {
            continue;
        }
        for name in group.split(' ') {
            if name != word && super::words::stem(name) != stem && !found.contains(&name) {
                found.push(name);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_other_languages_are_known_by_their_beginning() {
        assert_eq!(english("Anmeldung", "de"), ["login", "authentication"]);
        assert_eq!(english("Benutzers", "de"), ["user"]);
        assert_eq!(english("utilisateurs", "fr"), ["user"]);
        assert_eq!(english("contraseña", "es"), ["password"]);
        assert_eq!(english("Sonderanmeldung", "de"), ["login", "authentication"]);
        assert!(english("nombre", "en").is_empty());
        assert!(english("Quark", "de").is_empty());
    }

    #[test]
    fn a_word_is_not_its_own_synonym() {
        assert!(synonyms("authentication").contains(&"login"));
        assert!(synonyms("retries").contains(&"backoff"));
        assert!(!synonyms("cache").contains(&"cache"));
        assert!(synonyms("flux").is_empty());
    }
}
