<?php
require_once '/usr/share/simplesamlphp/lib/_autoload.php';
$source = new \SimpleSAML\Auth\Simple('wiki');
if (isset($_GET['logout'])) {
    $source->logout('https://wiki.example.org/');
}
$source->requireAuth();
$attributes = $source->getAttributes();
\SimpleSAML\Session::getSessionFromRequest()->cleanup();
?>
<p id="user"><?= htmlspecialchars($attributes['mail'][0] . ' ' . $attributes['displayName'][0]) ?></p>
<p><a href="?logout">Sign out</a></p>
