// At the end of /etc/simplesamlphp/config.php.
$config['baseurlpath'] = 'https://wiki.example.org/simplesamlphp/';
$config['trusted.url.domains'] = ['wiki.example.org'];
$config['metadata.sources'] = [['type' => 'xml', 'file' => '/etc/simplesamlphp/postern.xml']];
// With sessions of PHP, a logout that begins elsewhere ends a session only if the browser sends its cookie into a frame.
$config['store.type'] = 'sql';
$config['store.sql.dsn'] = 'sqlite:/var/lib/simplesamlphp/data/sessions.sqlite';
